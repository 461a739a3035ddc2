import { expect, test } from '@jest/globals';
import { ernie45 } from '@talaria/tool-call-parsers/ernie45';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

const ping = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>';

test.each([
  ['on lines of their own', '<response>\nHello.\n</response>', 'Hello.'],
  ['in one line', '<response>Hello.</response>', 'Hello.'],
  ['with one line feed each', '<response>\n\n Hello.\n\n</response>', '\n Hello.\n'],
  ['with a line end of Windows each', '<response>\r\nHello.\r\n\r\n</response>', 'Hello.\r\n'],
  ['around nothing', '<response>\n</response>', ''],
  ['behind the thinking', 'plan\n</think>\n\n<response>\nHello.\n</response>\n', 'plan\n</think>\n\nHello.\n'],
  ['where the text was cut', '<response>\nHalf', 'Half'],
  ['where a tag was cut', '<response>\nHello.\n</resp', 'Hello.\n</resp'],
  ['alone', '<response>', ''],
])('tags around a plain answer are no content: %s', (_title, text, content) => {
  expect(readEveryWay(ernie45, text)).toEqual({ content, toolCalls: [], errors: [] });
});

test('calls beside a response', () => {
  expect(readCalls(ernie45, `<response>\nOne.\n</response>\n${ping}\n<response>\nTwo.\n</response>`)).toEqual({
    content: 'One.\nTwo.',
    calls: [['ping', {}]],
  });
});

test('tags in the strings of a call stay', () => {
  const text = ping.replace('{}', '{"a": "<response>\\n</response>"}');
  expect(readCalls(ernie45, text).calls).toEqual([['ping', { a: '<response>\n</response>' }]]);
});

test.each([
  ['bad-json', '<tool_call>{"name": "ping",}</tool_call>'],
  ['bad-structure', '<tool_call>{"name": "ping"} x</tool_call>'],
  ['bad-name', '<tool_call>{"arguments": {}}</tool_call>'],
  ['truncated', '<tool_call>{"name": "ping"'],
])('%s: %j is text', (kind, text) => {
  expect(readEveryWay(ernie45, text)).toMatchObject({ content: text, toolCalls: [], errors: [{ kind, start: 0 }] });
});

test('a response flows as it comes', () => {
  const events = eagerEvents(ernie45, `<response>\n${'words '.repeat(20)}`);
  expect(events.filter((event) => event.type === 'content').length).toBeGreaterThan(80);
});

test('an answer without calls is written in tags, one with calls is not', () => {
  expect(ernie45.render([], { content: 'Hello.' })).toBe('<response>\nHello.\n</response>');
  expect(ernie45.render([{ name: 'ping', arguments: {} }], { content: 'Now.' })).toBe(`Now.\n${ping}`);
  expect(ernie45.canRender([], { content: 'a <response> b' })).toBe(false);
});
