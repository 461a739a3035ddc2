import { describe, expect, test } from '@jest/globals';
import type { ToolCallParser } from '@talaria/tool-call-parsers';
import { granite20bFc } from '@talaria/tool-call-parsers/granite-20b-fc';
import { granite4 } from '@talaria/tool-call-parsers/granite4';
import { internlm } from '@talaria/tool-call-parsers/internlm';
import { longcat } from '@talaria/tool-call-parsers/longcat';
import { qwen } from '@talaria/tool-call-parsers/qwen';
import { readCalls, readEveryWay } from '../test/read-every-way.ts';

interface TaggedFormat {
  readonly parser: ToolCallParser;
  readonly start: string;
  readonly end: string;
}

const formats: readonly TaggedFormat[] = [
  { parser: qwen, start: '<tool_call>', end: '</tool_call>' },
  { parser: granite4, start: '<tool_call>', end: '</tool_call>' },
  { parser: longcat, start: '<longcat_tool_call>', end: '</longcat_tool_call>' },
  { parser: internlm, start: '<|action_start|><|plugin|>', end: '<|action_end|>' },
];

describe.each(formats)('$parser.name', ({ parser, start, end }) => {
  test.each([
    ['in lines', `${start}\n{"name": "n", "arguments": {"a": 1}}\n${end}`],
    ['in one line', `${start}{"name": "n", "parameters": {"a": 1}}${end}`],
    ['without an end', `${start} {"name": "n", "arguments": {"a": 1}} `],
    ['with a cut end', `${start}{"name": "n", "arguments": {"a": 1}}${end.slice(0, -3)}`],
  ])('a call %s', (_title, text) => {
    expect(readCalls(parser, text)).toEqual({ content: null, calls: [['n', { a: 1 }]] });
  });

  test('an end tag in a string is text of the string', () => {
    const text = `${start}{"name": "n", "arguments": {"a": "${end}${start}"}}${end}`;
    expect(readCalls(parser, text).calls).toEqual([['n', { a: end + start }]]);
  });

  test.each([
    ['words', 'x', 'bad-structure'],
    ['an array', '[{"name": "n"}]', 'bad-structure'],
    ['a brace too many', '{"name": "n"}}', 'bad-structure'],
    ['no name', '{"arguments": {}}', 'bad-name'],
    ['bad JSON', '{"name": n}', 'bad-json'],
  ])('%s between the tags: no call, and the next one counts', (_title, body, kind) => {
    const broken = `${start}${body}${end}`;
    const { content, toolCalls, errors } = readEveryWay(parser, `${broken} ${start}{"name": "ok"}${end}`);
    expect([content, toolCalls.map((call) => call.name)]).toEqual([broken, ['ok']]);
    expect(errors).toMatchObject([{ kind, start: 0 }]);
  });
});

test('the tags of Hermes mean nothing to LongCat', () => {
  const text = '<tool_call>{"name": "n"}</tool_call>';
  expect(readEveryWay(longcat, text)).toEqual({ content: text, toolCalls: [], errors: [] });
});

test('code for the interpreter of InternLM is text, and no fault', () => {
  const text = '<|action_start|><|interpreter|>\nprint({"name": "n"})<|action_end|>';
  expect(readEveryWay(internlm, text)).toEqual({ content: text, toolCalls: [], errors: [] });
});

describe('granite-20b-fc', () => {
  test.each([
    ['one call', '<function_call> {"name": "n", "arguments": {}}', null],
    ['text behind it', '<function_call>{"name": "n"} and more', 'and more'],
    ['a brace too many', '<function_call>{"name": "n"}}', '}'],
    ['text around it', 'Hm. <function_call>\n{"name": "n"}\nBye.', 'Hm.\nBye.'],
    ['a broken one before it', '<function_call> {n} <function_call> {"name": "n"}', '<function_call> {n}'],
  ])('%s', (_title, text, content) => {
    expect(readCalls(granite20bFc, text)).toEqual({ content, calls: [['n', {}]] });
  });

  test('a cut call is text', () => {
    const text = '<function_call> {"name": "n", "arguments": {"a": 1}';
    expect(readEveryWay(granite20bFc, text)).toMatchObject({ content: text, errors: [{ kind: 'truncated' }] });
  });
});

test('calls are written as the models write them', () => {
  const calls = [
    { name: 'a', arguments: { b: 1 } },
    { name: 'c', arguments: {} },
  ];
  expect(longcat.render(calls, { content: 'Hm.' })).toBe(
    'Hm.\n<longcat_tool_call>\n{"name": "a", "arguments": {"b": 1}}\n</longcat_tool_call>\n' +
      '<longcat_tool_call>\n{"name": "c", "arguments": {}}\n</longcat_tool_call>',
  );
  expect(internlm.render(calls)).toBe(
    '<|action_start|><|plugin|>\n{"name": "a", "parameters": {"b": 1}}<|action_end|>\n' +
      '<|action_start|><|plugin|>\n{"name": "c", "parameters": {}}<|action_end|>',
  );
  expect(granite20bFc.render(calls)).toBe(
    '<function_call> {"name": "a", "arguments": {"b": 1}}\n<function_call> {"name": "c", "arguments": {}}',
  );
});
