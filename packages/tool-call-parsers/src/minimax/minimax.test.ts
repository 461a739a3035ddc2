import { describe, expect, test } from '@jest/globals';
import { minimax } from '@talaria/tool-call-parsers/minimax';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

const ping = '{"name": "ping", "arguments": {}}';
const calc = '{"name": "calc", "arguments": {"a": 1}}';

test.each([
  ['in lines', `<tool_calls>\n${ping}\n${calc}\n</tool_calls>`],
  ['with empty lines', `<tool_calls>\n\n${ping}\r\n \n${calc}\n\n</tool_calls>\n`],
  ['without line feeds', `<tool_calls>${ping}${calc}</tool_calls>`],
  ['without an end', `<tool_calls>\n${ping}\n${calc}`],
  ['in two sections', `<tool_calls>\n${ping}\n</tool_calls>\n<tool_calls>\n${calc}\n</tool_calls>`],
  ['over several lines', `<tool_calls>\n{\n"name": "ping"\n}\n{"name":\n"calc", "arguments": {\n"a": 1}}`],
])('calls %s', (_title, text) => {
  expect(readCalls(minimax, text)).toEqual({
    content: null,
    calls: [
      ['ping', {}],
      ['calc', { a: 1 }],
    ],
  });
});

describe('a line that holds no call is text, and the next line still counts', () => {
  test.each([
    ['bad JSON', '{"name": bad}', 'bad-json'],
    ['a cut object', '{"name": "x", "arguments": {"a": 1', 'bad-json'],
    ['an open string', '{"name": "x", "arguments": {"a": "1}}', 'bad-json'],
    ['an object without a name', '{"x": 1}', 'bad-name'],
    ['other arguments', '{"name": "x", "arguments": 1}', 'bad-arguments'],
  ])('%s', (_title, line, kind) => {
    const first = readEveryWay(minimax, `<tool_calls>\n${line}\n${ping}\n</tool_calls>`);
    expect(first.toolCalls.map((call) => call.name)).toEqual(['ping']);
    expect(first.content).toBe(`<tool_calls>\n${line}`);
    expect(first.errors).toMatchObject([{ kind, start: 0 }]);

    const second = readEveryWay(minimax, `<tool_calls>\n${calc}\n${line}\n${ping}\n</tool_calls>`);
    expect(second.toolCalls.map((call) => call.name)).toEqual(['calc', 'ping']);
    expect(second.content).toBe(line);
    expect(second.errors).toMatchObject([{ kind, start: 14 + calc.length }]);
  });

  test('words', () => {
    const text = `<tool_calls>\n${calc} and\nthen, [1]\n${ping} \n</tool_calls> Bye.`;
    const result = readEveryWay(minimax, text);
    expect(result.toolCalls.map((call) => call.name)).toEqual(['calc', 'ping']);
    expect([result.content, result.errors]).toEqual(['and\nthen, [1]\nBye.', []]);
  });
});

test('a tag that is only mentioned opens no section', () => {
  const text = `Use <tool_calls> so:\n${ping}\n`;
  expect(readEveryWay(minimax, text)).toMatchObject({
    content: text,
    toolCalls: [],
    errors: [{ kind: 'bad-structure', start: 4, end: 17 }],
  });
});

test('lines behind the section are text', () => {
  expect(readCalls(minimax, `<tool_calls>\n${ping}\n</tool_calls>\n${calc}`)).toEqual({
    content: calc,
    calls: [['ping', {}]],
  });
});

test.each([
  ['before its end', `<think>\n<tool_calls>\n${ping}\n</tool_calls>\n</think>`, 0],
  ['without end', `<think>\n<tool_calls>\n${ping}\n</tool_calls>`, 0],
  ['behind its end', `<think>\n</think>\n<tool_calls>\n${ping}\n</tool_calls>`, 1],
])('calls in thinking: %s', (_title, text, count) => {
  expect(readCalls(minimax, text).calls).toHaveLength(count);
});

test('lines nested in one broken object are tried once more, not again and again', () => {
  // Each line begins an object within the one before; the work would grow with the square of their number.
  const nested = `<tool_calls>\n${'{"a":\n'.repeat(300)}`;
  expect(minimax.parse(nested).errors.length).toBeLessThanOrEqual(2);
  const deep = `<tool_calls>\n${'{"a":\n'.repeat(20_000)}${ping}`;
  expect(minimax.parse(deep).errors.length).toBeLessThanOrEqual(100);
});

test('eager: a call is withdrawn where its line breaks', () => {
  const events = eagerEvents(minimax, `<tool_calls>\n{"name": "x", "arguments": {"a": ]\n${ping}\n</tool_calls>`);
  expect(events.map((event) => event.type)).toContain('call-abort');
  const starts = events.flatMap((event) => (event.type === 'call-start' ? [event.index] : []));
  expect(starts).toEqual([0, 0]);
});

test('calls are written one per line', () => {
  const calls = [
    { name: 'a', arguments: { b: 'c\nd' } },
    { name: 'e', arguments: {} },
  ];
  expect(minimax.render(calls, { content: 'Hm.' })).toBe(
    'Hm.\n<tool_calls>\n{"name": "a", "arguments": {"b": "c\\nd"}}\n{"name": "e", "arguments": {}}\n</tool_calls>',
  );
});
