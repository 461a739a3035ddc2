import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cellAt, displayWidth } from './display-cell.ts';

test.each([
  ['a letter', 'a', 1],
  ['a letter with an accent', 'é', 1],
  ['a letter and a combining accent', 'e\u0301', 1],
  ['Cyrillic', 'Привет', 6],
  ['a Chinese character', '世', 2],
  ['a Japanese syllable', 'の', 2],
  ['half-width katakana', 'ｶ', 1],
  ['a full-width letter', 'Ａ', 2],
  ['the bar in the markers of DeepSeek', '｜', 2],
  ['a Hangul syllable', '한', 2],
  ['a Hangul syllable in parts', '\u1112\u1161\u11AB', 2],
  ['an emoji', '🎉', 2],
  ['a flag', '🇳🇴', 2],
  ['an ideograph beyond the first plane', '𠮷', 2],
  ['a tab', '\t', 4],
])('%s: %j takes so many columns: %i', (_title, text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test.each([
  ['an escape', '\u001B', '<U+001B>'],
  ['a control character of the second set', '\u009B', '<U+009B>'],
  ['a space that does not break', '\u00A0', '<U+00A0>'],
  ['the joiner of emoji', '\u200D', '<U+200D>'],
  ['a selector of emoji', '\uFE0F', '<U+FE0F>'],
  ['a skin tone', '🏽', '<U+1F3FD>'],
  ['a mark of direction', '\u202E', '<U+202E>'],
  ['a tag', '\u{E0041}', '<U+E0041>'],
  ['half of a character', '\uD83D', '<U+D83D>'],
  ['a carriage return', '\r', '<U+000D>'],
  ['what no font has', '\uE000', '<U+E000>'],
])('%s is named', (_title, text, shown) => {
  expect(cellAt(text, 0)).toEqual({ start: 0, end: text.length, shown, width: shown.length });
});

test('both halves of a character lead to the whole', () => {
  const emoji = { start: 1, end: 3, shown: '🎉', width: 2 };
  expect([cellAt('a🎉', 1), cellAt('a🎉', 2)]).toEqual([emoji, emoji]);
});

test('cells follow each other without a gap, and nothing that is shown acts on a terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
      let offset = 0;
      let width = 0;
      while (offset < text.length) {
        const cell = cellAt(text, offset);
        expect(cell.start).toBe(offset);
        expect(cell.shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        offset = cell.end;
        width += cell.width;
      }
      expect([offset, width]).toEqual([text.length, displayWidth(text)]);
    }),
  );
});
