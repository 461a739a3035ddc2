import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { escapeText } from './escape-text.ts';

const filler = 'ab"c\\d\n'.repeat(1200);

test.each(['👻', '\ud83d', '\udc7b', '\ud83d\ud83d\udc7b', '👻👻', '\u0000', '漢'])(
  '%j is escaped as by JSON.stringify wherever it stands in a long text',
  (piece) => {
    for (const border of [4096, 8192]) {
      for (let start = border - 5; start < border + 3; start += 1) {
        const text = filler.slice(0, start) + piece + filler.slice(0, 100);
        expect(`"${escapeText(text)}"`).toBe(JSON.stringify(text));
      }
    }
  },
);

test('any text is escaped as by JSON.stringify', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 9_000, size: 'max' }), (text) => {
      expect(`"${escapeText(text)}"`).toBe(JSON.stringify(text));
    }),
  );
  expect(escapeText('')).toBe('');
});
