import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createPieceCutter } from './piece-cutter.ts';

function cut(parts: readonly string[], length: number | null): readonly string[] {
  const cutter = createPieceCutter(length);
  return [...parts.flatMap((part) => [...cutter.cut(part)]), cutter.rest()];
}

test.each([
  [['abcdefg'], 3, ['abc', 'def', 'g']],
  [['ab', 'cde', 'f'], 3, ['abc', 'def', '']],
  [['a🎉b'], 2, ['a🎉', 'b']],
  [['ab', 'c'], null, ['ab', 'c', '']],
  [[], 3, ['']],
])('%j in pieces of %j is %j', (parts, length, expected) => {
  expect(cut(parts, length)).toEqual(expected);
});

test('how the text arrives makes no difference', () => {
  const parts = fc.array(fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 9 }), (texts, length) => {
      const whole = texts.join('');
      const pieces = cut(texts, length);
      expect(pieces).toEqual(cut([whole], length));
      expect(pieces.join('')).toBe(whole);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }),
  );
});
