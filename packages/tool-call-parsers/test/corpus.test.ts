import { describe, expect, test } from '@jest/globals';
import { getParser, listParsers } from '@talaria/tool-call-parsers';
import { corpusReply } from '../bench/corpus.ts';
import { hostileFamilies, hostileText } from '../bench/hostile-families.ts';

describe.each(listParsers())('%s', (name) => {
  const parser = getParser(name);

  test.each([4096, 65_536])('writes a call of %d characters of the corpus, and reads it back the same', (length) => {
    const hasOtherScripts = length > 4096;
    // Throws where another call is read.
    const reply = corpusReply(parser, length, { hasOtherScripts });
    expect(reply.length).toBeGreaterThan(length * 0.75);
    // Some formats spend many characters on each part of nested data.
    expect(reply.length).toBeLessThan(length * 2);
  });

  test('can be attacked with calls that it writes itself', () => {
    for (const family of hostileFamilies(parser)) {
      expect(family.unit).not.toBe('');
      expect(hostileText(family, 10_000).length).toBeLessThan(11_000);
    }
  });
});
