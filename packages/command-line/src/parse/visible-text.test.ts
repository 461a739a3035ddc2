import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { visibleJson, visibleJsonText, visibleLine, visibleText } from './visible-text.ts';

/** Whatever moves the cursor, changes colours or reorders text. */
const acting = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;
const texts = fc.string({
  unit: fc.constantFrom('a', '\n', '\r', '\t', '\u001B', '\u009B', '\u202E', '\uD83D', '🎉', '世'),
});

test.each([
  ['colours', 'a\u001B[31mb', 'a<U+001B>[31mb'],
  ['a bell and a deletion', '\u0007\u007F', '<U+0007><U+007F>'],
  ['lines and tabs', 'a\r\n\tb\n', 'a\r\n\tb\n'],
  ['a carriage return that would hide the line', 'a\rb', 'a<U+000D>b'],
  ['text that is turned round', '\u202Etxt', '<U+202E>txt'],
  ['half of a character', 'a\uD83Db', 'a<U+D83D>b'],
  ['emoji and accents', '👩‍👩‍👧 ☀️ e\u0301', '👩‍👩‍👧 ☀️ e\u0301'],
])('%s are harmless', (_title, text, expected) => {
  expect(visibleText(text)).toBe(expected);
});

test('nothing that acts on a terminal is left, and in a line no line end', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(visibleText(text).replaceAll(/\r\n|[\n\t]/gu, '')).not.toMatch(acting);
      expect(visibleLine(text)).not.toMatch(acting);
    }),
  );
});

test('JSON says the same, and nothing in it acts on a terminal', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const json = visibleJson({ text });
      expect(json).not.toMatch(acting);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
  expect(visibleJsonText('{"a":\n"\u009B"}')).toBe('{"a":\n"\\u009b"}');
});
