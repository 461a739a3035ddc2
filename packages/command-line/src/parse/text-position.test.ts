import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createPositionFinder } from './text-position.ts';

const texts = fc
  .array(fc.constantFrom('a', '\n', '\r\n', '世', '🎉', '\uD83D'), { maxLength: 30 })
  .map((parts) => parts.join(''));

test('lines and columns are those that counting gives, in whatever order they are asked for', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat()), (text, seeds) => {
      const find = createPositionFinder(text);
      for (const seed of seeds) {
        const offset = seed % (text.length + 1);
        const lines = text.slice(0, offset).split('\n');
        // Half a character at the end counts as one, as a whole does.
        expect(find(offset)).toEqual({ line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 });
      }
    }),
  );
});
