import { expect, test } from '@jest/globals';
import { toExtendedRegex } from './extended-regex.ts';

test.each([
  ['\\d+\\.\\d', '[0-9]+\\.[0-9]'],
  ['\\w\\W\\s\\S\\D', '[[:alnum:]_][^[:alnum:]_][[:space:]][^[:space:]][^0-9]'],
  ['[\\w.-]', '[[:alnum:]_.-]'],
  ['[^\\s\\d]', '[^[:space:]0-9]'],
  ['[]a]\\d', '[]a][0-9]'],
  ['[^]a]\\d', '[^]a][0-9]'],
  ['(?:a|b)', '(a|b)'],
  ['[(?:]', '[(?:]'],
  ['\\bword\\b', '\\bword\\b'],
  ['a\\', 'a\\'],
])('%p becomes %p', (pattern, regex) => {
  expect(toExtendedRegex(pattern)).toEqual({ regex, ignoresCase: false });
});

test('a leading (?i) becomes a flag', () => {
  expect(toExtendedRegex('(?i)a')).toEqual({ regex: 'a', ignoresCase: true });
});

test('a very long pattern ends', () => {
  expect(toExtendedRegex(`[${']'.repeat(200_000)}`).regex).toHaveLength(200_001);
});
