import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  canonicalJson,
  clipText,
  contentHash,
  createId,
  editDistance,
  messageText,
  nearestName,
  parseJson,
  quoteShell,
  redactSecrets,
  Secret,
  seededRandom,
  truncateText,
} from './index.ts';

describe('quoteShell', () => {
  test('gives every word to the shell exactly as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }), (words) => {
        const safe = words.map((word) => word.replaceAll('\0', ''));
        const output = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${quoteShell(safe)}`], { encoding: 'utf8' });
        expect(output.split('\0').slice(0, -1)).toEqual(safe.map((word) => word.toWellFormed()));
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    [['ls', '-l', '/a/b.txt'], 'ls -l /a/b.txt'],
    [['echo', ''], "echo ''"],
    [['echo', "it's"], "echo 'it'\\''s'"],
    [['echo', '$(rm -rf /)'], "echo '$(rm -rf /)'"],
  ])('%j is %s', (words, text) => {
    expect(quoteShell(words)).toBe(text);
  });

  test('refuses a NUL', () => {
    expect(() => quoteShell(['a\0b'])).toThrow('NUL');
  });
});

describe('clipText', () => {
  test('keeps the first 40 % and the last 60 % and says how much is missing', () => {
    const { text, omittedChars } = clipText(`${'a'.repeat(40)}${'b'.repeat(20)}${'c'.repeat(60)}`, 100);
    expect(omittedChars).toBe(20);
    expect(text).toBe(`${'a'.repeat(40)}\n\n... [20 of 120 characters omitted] ...\n\n${'c'.repeat(60)}`);
  });

  test('never cuts a character in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.nat(100), (text, limit) => {
        expect(clipText(text, limit).text.isWellFormed()).toBe(true);
        expect(truncateText(text, limit).isWellFormed()).toBe(true);
      }),
    );
  });

  test('leaves short text alone', () => {
    expect(clipText('short', 5)).toEqual({ text: 'short', omittedChars: 0 });
  });
});

describe('parseJson', () => {
  test('never throws and never lets a prototype through', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseJson(text)));
    const parsed = parseJson('{"a": {"__proto__": {"admin": true}}, "__proto__": 1}');
    expect(parsed).toEqual({ ok: true, value: { a: {} } });
    expect(Object.keys((parsed as { value: object }).value)).toEqual(['a']);
  });

  test('says what is wrong', () => {
    expect(parseJson('{"a": }')).toEqual({ ok: false, message: expect.stringContaining('Unexpected token') });
  });
});

describe('canonicalJson', () => {
  test('is equal for equal values, whatever the order of their keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(reversed as never)).toBe(canonicalJson(value as never));
        expect(JSON.parse(canonicalJson(value as never))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('has a hash of 64 hex digits that does not change', () => {
    expect(contentHash({ b: 1, a: [true, null, 'x'] })).toBe(contentHash({ a: [true, null, 'x'], b: 1 }));
    expect(contentHash('')).toBe('12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126');
  });
});

describe('nearestName', () => {
  test.each([
    ['teminal', ['terminal', 'file'], 'terminal'],
    ['max_agent_turn', ['max_agent_turns', 'max_token_length'], 'max_agent_turns'],
    ['raed_file', ['read_file', 'write_file'], 'read_file'],
    ['Docker', ['docker'], 'docker'],
    ['something', ['terminal', 'file'], undefined],
  ])('%s among %j is %s', (name, candidates, expected) => {
    expect(nearestName(name, candidates)).toBe(expected);
  });

  test('editDistance counts insertions, deletions, replacements and swaps', () => {
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('abc', 'acb')).toBe(1);
    expect(editDistance('kitten', 'sitting')).toBe(3);
  });
});

describe('Secret', () => {
  const secret = new Secret('OPENAI_API_KEY', 'sk-very-secret-value');

  test('does not show in text, JSON or inspection', async () => {
    const { inspect } = await import('node:util');
    for (const text of [
      `${secret}`,
      JSON.stringify({ secret }),
      inspect({ secret }),
      inspect(secret, { showHidden: true }),
    ]) {
      expect(text).toContain('[redacted:OPENAI_API_KEY]');
      expect(text).not.toContain('very-secret');
    }
    expect(secret.reveal()).toBe('sk-very-secret-value');
  });

  test('is taken out of other text, short values excepted', () => {
    expect(redactSecrets('key sk-very-secret-value!', [secret])).toBe('key [redacted:OPENAI_API_KEY]!');
    expect(redactSecrets('a b', [new Secret('A', 'a')])).toBe('a b');
  });
});

describe('seededRandom', () => {
  test('gives the same numbers for the same seed, others for another', () => {
    const draw = (seed: string) => Array.from({ length: 5 }, seededRandom(seed));
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });

  test('is spread evenly over [0, 1)', () => {
    const random = seededRandom('spread');
    const buckets = new Array<number>(10).fill(0);
    for (let count = 0; count < 10_000; count += 1) {
      const bucket = Math.floor(random() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});

test('createId gives distinct ids of 24 hex digits', () => {
  expect(createId('call')).toMatch(/^call_[0-9a-f]{24}$/);
  expect(createId('call')).not.toBe(createId('call'));
});

test('messageText joins text parts and is empty for null', () => {
  expect(messageText({ role: 'assistant', content: null })).toBe('');
  expect(
    messageText({
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'data:,' } },
        { type: 'text', text: 'b' },
      ],
    }),
  ).toBe('a\nb');
});
