import { expect, test } from '@jest/globals';
import { parseDuration } from './parse-duration.ts';

test.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['0s', 0],
])('%s is %i ms', (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

test.each(['', '5', 'h', '-1h', '1 h', '1w', '1h x', `${'9'.repeat(20)}d`])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeNull();
});
