import { expect, test } from '@jest/globals';
import { parseWithComments } from './json-with-comments.ts';

test.each([
  ['[1, 2, /* three */]', [1, 2]],
  ['{"a": "// no comment", // one\n "b": "/* none */",}', { a: '// no comment', b: '/* none */' }],
  ['["\\"", "\\\\", ",]"]', ['"', '\\', ',]']],
  ['[1] /* never closed', [1]],
  ['"\\u0041"', 'A'],
])('%p is read', (text, value) => {
  expect(parseWithComments(text)).toEqual(value);
});

test.each(['"', '"a\\"', '["a", "b]', '{"a": "b\\', '"line\nbreak"', '[1,,]'])('%p is refused', (text) => {
  expect(() => parseWithComments(text)).toThrow(SyntaxError);
});

test('a string that never ends is read in one pass', () => {
  const startedAt = performance.now();
  expect(() => parseWithComments(`"${'\\"'.repeat(200_000)}`)).toThrow(SyntaxError);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
