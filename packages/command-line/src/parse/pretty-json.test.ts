import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { prettyJson } from './pretty-json.ts';

test('JSON is laid out as JSON.stringify does it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      expect(prettyJson(json)).toBe(JSON.stringify(JSON.parse(json), null, 2));
    }),
  );
});

test('numbers, strings and keys keep their spelling', () => {
  const json = '{"n":12345678901234567890.10e+3 , "s" : "\\u0041\\n{,:}\\"", "n":[ ],"o": {\n}}';
  expect(prettyJson(json)).toBe(`{
  "n": 12345678901234567890.10e+3,
  "s": "\\u0041\\n{,:}\\"",
  "n": [ ],
  "o": {
}
}`);
});

test('what nobody reads stays as it is, and deep nesting does not fill the screen with spaces', () => {
  const long = `["${'x'.repeat(70_000)}"]`;
  expect(prettyJson(long)).toBe(long);
  expect(prettyJson('['.repeat(500) + ']'.repeat(500)).length).toBeLessThan(50_000);
});
