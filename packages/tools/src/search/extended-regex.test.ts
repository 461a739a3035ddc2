import { expect, test } from '@jest/globals';
import { toExtendedRegex } from './extended-regex.ts';

test.each([
  ['\\d+\\.\\d', '[0-9]+\\.[0-9]'],
  ['\\w\\W\\s\\S\\D', '[[:alnum:]_][^[:alnum:]_][[:space:]][^[:space:]][^0-9]'],
  ['[\\w.-]', '[[:alnum:]_.-]'],
  ['[^\\s\\d]', '[^[:space:]0-9]'],
  ['[]a]\\d', '[]a][0-9]'],
  ['[^]a]\\d', '[^]a][0-9]'],
  ['[[:alpha:]_]+', '[[:alpha:]_]+'],
  ['(?:a|b)', '(a|b)'],
  ['(?P<name>a)(?<other>b)', '(a)(b)'],
  ['[(?:]', '[(?:]'],
  ['\\bword\\b', '\\bword\\b'],
  ['\\Aa\\z', '^a$'],
  ['a\\', 'a\\'],
  ['a+?b*?c??d{2,}?', 'a+b*c?d{2,}'],
  ['a\\+?', 'a\\+?'],
  ['don\\\'t \\`a\\` \\/\\-\\_\\"\\ \\é', 'don\'t `a` /-_" é'],
  ['\\.\\[\\]\\{\\}\\(\\)\\*\\+\\?\\^\\$\\|\\\\', '\\.\\[\\]\\{\\}\\(\\)\\*\\+\\?\\^\\$\\|\\\\'],
  ['(a)\\1', '(a)\\1'],
  ["a\\'*?", "a'*"],
  ['[a\\]b]', '[]ab]'],
  ['[a\\-z]', '[az-]'],
  ['[\\^a]', '[a^]'],
  ['[\\^]', '\\^'],
  ['"[^"\\n]*"', '"[^"]*"'],
  ['a[^\\n]', 'a.'],
])('%p becomes %p', (pattern, regex) => {
  expect(toExtendedRegex(pattern)).toEqual({ ok: true, regex, ignoresCase: false });
});

test.each([
  '(?=a)b',
  '(?!a)b',
  '(?<=a)b',
  'a(?i)b',
  '\\p{L}',
  '\\x41',
  '\\<a',
  'a\\>',
  'a\\0',
  'a\\nb',
  '[\\n]',
  '[\\x41]',
])('%p is refused, since grep would read it as something else', (pattern) => {
  expect(toExtendedRegex(pattern)).toMatchObject({ ok: false, message: expect.stringContaining('does not know') });
});

test('a leading (?i) becomes a flag', () => {
  expect(toExtendedRegex('(?i)a')).toEqual({ ok: true, regex: 'a', ignoresCase: true });
});

test('a very long pattern ends', () => {
  expect(toExtendedRegex(`[${']'.repeat(200_000)}`)).toMatchObject({ ok: true });
  expect(toExtendedRegex('('.repeat(200_000))).toMatchObject({ ok: true });
});
