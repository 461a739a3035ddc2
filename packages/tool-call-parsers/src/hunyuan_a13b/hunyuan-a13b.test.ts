import { describe, expect, test } from '@jest/globals';
import { hunyuanA13b } from '@talaria/tool-call-parsers/hunyuan_a13b';
import { jamba } from '@talaria/tool-call-parsers/jamba';
import { readCalls, readEveryWay } from '../../test/read-every-way.ts';

const call = '<tool_calls>[{"name": "ping", "arguments": {}}]</tool_calls>';

describe.each([jamba, hunyuanA13b])('the tags of $name', (parser) => {
  test.each([
    ['both', call, null],
    ['white space between all parts', '<tool_calls>\n[\n{"name": "ping"}\n]\n</tool_calls>\n', null],
    ['no end tag', '<tool_calls>[{"name": "ping"}]', null],
    ['a cut end tag', '<tool_calls>[{"name": "ping"}]</tool_c', '</tool_c'],
    ['the end tag before the bracket', '<tool_calls>[{"name": "ping"}</tool_calls>', null],
    ['an end tag behind text', `${call} So. </tool_calls>`, 'So. </tool_calls>'],
    ['an end tag in front', `</tool_calls> ${call}`, '</tool_calls>'],
    ['text after them', `${call}\n\nDone.`, 'Done.'],
  ])('%s', (_title, text, content) => {
    expect(readCalls(parser, text)).toEqual({ content, calls: [['ping', {}]] });
  });

  test('several blocks count', () => {
    expect(readCalls(parser, `${call}\n${call}`).calls).toHaveLength(2);
  });

  test('an object without brackets is no call', () => {
    const text = '<tool_calls>{"name": "ping"}</tool_calls>';
    const { content, toolCalls, errors } = readEveryWay(parser, text);
    expect([content, toolCalls]).toEqual([text, []]);
    expect(errors).toEqual([
      { kind: 'bad-structure', start: 0, end: 12, message: 'No tool call: expected [ at offset 12, found "{"' },
    ]);
  });
});

describe('calls in thinking', () => {
  test.each([
    ['before the end of thinking, they are text', `<think>${call}</think>`, 0],
    ['behind it, they count', `<think>${call}</think>${call}`, 1],
    ['in thinking that never ends, they are text', `So. <think>${call}`, 0],
    ['behind a lone end of thinking, they count', `${call.replace('ping', 'x')}</think>${call}`, 2],
    ['in the second thinking, they are text', `<think></think>${call}<think>${call}</think>`, 1],
    ['the thinking of an argument is none', call.replace('{}', '{"a": "<think>"}') + call, 2],
  ])('%s', (_title, text, count) => {
    expect(readCalls(hunyuanA13b, text).calls).toHaveLength(count);
    expect(readEveryWay(hunyuanA13b, text).errors).toEqual([]);
  });

  test('they count in Jamba', () => {
    expect(readCalls(jamba, `<think>${call}</think>`)).toEqual({ content: '<think>\n</think>', calls: [['ping', {}]] });
  });
});

test('calls are written as the templates do', () => {
  const calls = [
    { name: 'a', arguments: { b: 1 } },
    { name: 'c', arguments: {} },
  ];
  expect(hunyuanA13b.render(calls, { content: 'Hm.' })).toBe(
    'Hm.\n<tool_calls>[{"name": "a", "arguments": {"b": 1}}, {"name": "c", "arguments": {}}]</tool_calls>',
  );
  expect(jamba.render(calls)).toBe(
    '<tool_calls>[\n    {"name": "a", "arguments": {"b": 1}},\n    {"name": "c", "arguments": {}}\n]</tool_calls>',
  );
});
