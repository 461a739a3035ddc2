import { describe, expect, test } from '@jest/globals';
import { cohereCommand4 } from '@talaria/tool-call-parsers/cohere_command4';
import { readCalls, readEveryWay } from '../../test/read-every-way.ts';

const start = '<|START_ACTION|>';
const end = '<|END_ACTION|>';
const ping = '{"tool_call_id": "0", "tool_name": "ping", "parameters": {"a": 1}}';

test.each([
  ['in an array', `${start}[\n    ${ping}\n]${end}`],
  ['alone', `${start}${ping}${end}`],
  ['without an end', `${start}[${ping}`],
  ['alone without an end', `${start} ${ping}`],
  ['with the synonym', `${start}[{"tool_name": "ping", "arguments": {"a": 1}}]${end}`],
  ['with both, of which the own key wins', `${start}[{"tool_name": "ping", "parameters": {"a": 1}, "arguments": {}}]`],
])('a call %s', (_title, text) => {
  expect(readCalls(cohereCommand4, text)).toEqual({ content: null, calls: [['ping', { a: 1 }]] });
});

test('ids of the model count within a message, so they are replaced', () => {
  const { toolCalls } = readEveryWay(cohereCommand4, `${start}[${ping}, ${ping}]${end}${start}[${ping}]${end}`);
  expect(toolCalls.map((call) => call.id)).toEqual(['id1', 'id2', 'id3']);
  expect(cohereCommand4.parse(`${start}[${ping}]`).toolCalls[0]?.id).toMatch(/^call_[0-9a-f]{24}$/);
});

describe('what is no call', () => {
  test.each([
    ['other keys', `${start}[{"name": "ping", "parameters": {}}]${end}`, 'bad-name', '"tool_name" must be'],
    ['other arguments', `${start}[{"tool_name": "ping", "parameters": 1}]`, 'bad-arguments', '"parameters" must be'],
    ['bad JSON', `${start}[{"tool_name": "ping", "parameters": }]${end}`, 'bad-json', 'expected a JSON value'],
    ['words', `${start} now`, 'bad-structure', 'expected {'],
  ])('%s', (_title, text, kind, message) => {
    expect(readEveryWay(cohereCommand4, text)).toMatchObject({
      content: text,
      toolCalls: [],
      errors: [{ kind, start: 0, message: expect.stringContaining(message) }],
    });
  });
});

test('calls are written with numbers as ids', () => {
  const calls = [
    { id: 'call_1', name: 'a', arguments: {} },
    { name: 'b', arguments: '{"c":1}' },
  ];
  expect(cohereCommand4.render(calls)).toBe(
    `${start}[\n    {"tool_call_id": "0", "tool_name": "a", "parameters": {}},\n    {"tool_call_id": "1", "tool_name": "b", "parameters": {"c":1}}\n]${end}`,
  );
});
