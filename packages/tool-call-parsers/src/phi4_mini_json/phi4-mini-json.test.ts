import { expect, test } from '@jest/globals';
import { phi4MiniJson } from '@talaria/tool-call-parsers/phi4_mini_json';
import { readCalls, readEveryWay } from '../../test/read-every-way.ts';

test.each([
  ['alone', 'functools[{"name": "ping"}]', null],
  ['in text', 'Well, functools[{"name": "ping"}] it is.', 'Well,\nit is.'],
  ['with white space before the bracket', 'functools \n[{"name": "ping"}]', null],
  ['behind the word itself', 'functools functools[{"name": "ping"}]', 'functools'],
])('a call %s', (_title, text, content) => {
  expect(readCalls(phi4MiniJson, text)).toEqual({ content, calls: [['ping', {}]] });
});

test('the Python module is no fault', () => {
  const text = 'from functools import cache\nfunctools.reduce(f, [{"name": "ping"}])\nfunctools';
  expect(readEveryWay(phi4MiniJson, text)).toEqual({ content: text, toolCalls: [], errors: [] });
});

test('calls are written in one array', () => {
  expect(phi4MiniJson.render([{ name: 'a', arguments: { b: 1 } }], { content: 'Hm.' })).toBe(
    'Hm.\nfunctools[{"name": "a", "arguments": {"b": 1}}]',
  );
});
