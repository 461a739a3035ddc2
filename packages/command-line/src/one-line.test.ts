import { expect, test } from '@jest/globals';
import { oneLine, printable } from './one-line.ts';

test.each([
  ['a\nb\r\n\tc', 'a b c'],
  ['red \u001B[31mtext\u001B[2J', 'red  [31mtext [2J'],
  ['right\u202Eleft\u2028next', 'right left next'],
  ['\u009B2J', ' 2J'],
  ['naïve – 你好 👋', 'naïve – 你好 👋'],
])('%j is %j in a line', (text, expected) => {
  expect(oneLine(text)).toBe(expected);
});

test('a long text is cut', () => {
  expect(oneLine('x'.repeat(100_000)).length).toBeLessThan(400);
});

test('in a text of several lines, lines stay and escape sequences do not', () => {
  expect(printable('one\n\ttwo\u001B[0m')).toBe('one\n\ttwo [0m');
});
