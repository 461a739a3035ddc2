import { describe, expect, test } from '@jest/globals';
import type { ToolCallParser, ToolSchema } from '@talaria/tool-call-parsers';
import { lfm2 } from '@talaria/tool-call-parsers/lfm2';
import { llama4Pythonic } from '@talaria/tool-call-parsers/llama4_pythonic';
import { pythonic } from '@talaria/tool-call-parsers/pythonic';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

function tool(name: string, ...parameters: readonly string[]): ToolSchema {
  return {
    type: 'function',
    function: { name, parameters: { properties: Object.fromEntries(parameters.map((key) => [key, {}])) } },
  };
}

const tools = [tool('ping'), tool('calc', 'a', 'b'), tool('run', 'command'), tool('fs.read-all', 'path')];

const formats: readonly (readonly [ToolCallParser, open: string, close: string])[] = [
  [pythonic, '', ''],
  [llama4Pythonic, '', ''],
  [llama4Pythonic, '<|python_start|>', '<|python_end|>'],
  [lfm2, '<|tool_call_start|>', '<|tool_call_end|>'],
];

describe.each(formats)('$name between %j and %j', (parser, open, close) => {
  test.each([
    ['arguments with keys', '[calc(a=1, b=2)]', { a: 1, b: 2 }],
    ['no white space', '[calc(a=1,b=2)]', { a: 1, b: 2 }],
    ['white space everywhere', '[ \n calc( a = 1 ,\n\tb = 2 ) \n ]', { a: 1, b: 2 }],
    ['commas behind the last', '[calc(a=1, b=2,),]', { a: 1, b: 2 }],
    ['values in the order of the parameters', '[calc(1, 2)]', { a: 1, b: 2 }],
    ['values with and without keys', '[calc(1, b=2)]', { a: 1, b: 2 }],
    ['a word without a key', '[calc(True, b=None)]', { a: true, b: null }],
    ['a key given twice: the last counts', '[calc(a=1, a=2)]', { a: 2 }],
    ['a key that no parameter has', '[calc(größe=1)]', { größe: 1 }],
    ['a tuple', '[calc(a=(1, (2,)))]', { a: [1, [2]] }],
    ['keys that are no strings', '[calc(a={1: "x", True: "y"})]', { a: { '1': 'x', true: 'y' } }],
    ['brackets in strings', `[calc(a=")]", b='([{')]`, { a: ')]', b: '([{' }],
    ['an unknown escape', String.raw`[calc(a="\d")]`, { a: '\\d' }],
  ])('a call: %s', (_title, list, value) => {
    expect(readCalls(parser, open + list + close, { tools })).toEqual({ content: null, calls: [['calc', value]] });
  });

  test('dots and dashes in a name', () => {
    const { calls } = readCalls(parser, `${open}[fs.read-all(path="a")]${close}`, { tools });
    expect(calls).toEqual([['fs.read-all', { path: 'a' }]]);
  });

  test('digits are kept', () => {
    const { toolCalls } = parser.parse(`${open}[calc(a=12345678901234567890, b=1.50)]${close}`, { tools });
    expect(toolCalls[0]?.arguments).toBe('{"a": 12345678901234567890, "b": 1.50}');
  });

  test('text around lists is content', () => {
    const list = `${open}[ping()]${close}`;
    expect(readCalls(parser, `One.\n${list}\nTwo.\n \t${list} Three.`, { tools })).toEqual({
      content: 'One.\nTwo.\nThree.',
      calls: [
        ['ping', {}],
        ['ping', {}],
      ],
    });
  });

  test.each([
    ['bad-structure', '[ping(), calc(a=1 b=2)]', 'expected , or )', 'b'],
    ['bad-structure', '[ping(), calc(a=1+1)]', 'expected a literal', '1'],
    ['bad-structure', '[ping(), calc(a=ping())]', 'expected a literal', 'p'],
    ['bad-structure', '[ping(), calc(a=f"x")]', 'expected a literal', 'f'],
    ['bad-structure', '[ping(), calc(**{"a": 1})]', 'expected a literal', '*'],
    ['bad-structure', '[ping(), calc(a==1)]', 'expected a literal', '='],
    ['bad-structure', '[ping() calc()]', 'expected , or ]', 'c'],
    ['bad-structure', '[ping(), calc]', 'expected (', ']'],
  ])('%s: a bad call voids its list: %j', (kind, list, expected, found) => {
    const text = open + list + close;
    const { content, toolCalls, errors } = readEveryWay(parser, text, { tools });
    expect({ content, toolCalls }).toEqual({ content: text, toolCalls: [] });
    const at = errors[0]?.end ?? Number.NaN;
    const message = `No tool call: ${expected} at offset ${at}, found "${found}"`;
    expect(errors[0]).toEqual({ kind, start: 0, end: at, message });
    expect(text[at]).toBe(found);
  });

  test.each([
    ['bad-arguments', '[ping(), calc(a=1, 2)]', 'a value without a name at offset'],
    ['bad-arguments', '[ping(), calc(1, 2, 3)]', 'a value without a name at offset'],
    ['bad-arguments', '[ping(1)]', 'a value without a name at offset'],
    ['bad-name', '[ping(), ,]', '"" is no name at offset'],
    ['bad-name', `[ping(), ${'n'.repeat(600)}()]`, 'the name is too long at offset'],
    ['limit', `[ping(), calc(a=${'['.repeat(600)})]`, 'nested too deeply at offset'],
    ['truncated', '[ping(), calc(a=1', 'the text ended, expected , or ) at offset'],
    ['truncated', '[ping(), calc(a', 'the text ended, expected'],
    ['truncated', '[ping(), calc(a="x', 'the text ended, expected " at offset'],
    ['truncated', '[ping(), calc', 'the text ended, expected a name at offset'],
    ['truncated', '[ping(', 'the text ended, expected , or ) at offset'],
    ['truncated', '[ping()', 'the text ended, expected , or ] at offset'],
  ])('%s: what is no call is text: %j', (kind, list, message) => {
    const text = open + list + (kind === 'truncated' ? '' : close);
    const { content, toolCalls, errors } = readEveryWay(parser, text, { tools });
    expect({ content, toolCalls }).toEqual({ content: text, toolCalls: [] });
    expect(errors[0]).toMatchObject({ kind, start: 0 });
    expect(errors[0]?.message).toContain(`No tool call: ${message}`);
  });

  test('a list behind one that was void counts', () => {
    const bad = `${open}[ping(), calc(a=)]${close}`;
    expect(readCalls(parser, `${bad}\n${open}[ping()]${close}`, { tools })).toEqual({
      content: bad,
      calls: [['ping', {}]],
    });
  });

  test('without tools, values need keys', () => {
    expect(readCalls(parser, `${open}[f(a=1)]${close}`).calls).toEqual([['f', { a: 1 }]]);
    expect(readEveryWay(parser, `${open}[f(1)]${close}`).errors).toMatchObject([{ kind: 'bad-arguments' }]);
  });

  test('tools that are no tools do no harm', () => {
    const broken = JSON.parse('[null, 1, {"function": 2}, {"name": "calc", "parameters": {"properties": 3}}]');
    const { errors } = readEveryWay(parser, `${open}[calc(1)]${close}`, { tools: broken });
    expect(errors).toMatchObject([{ kind: 'bad-arguments' }]);
  });

  test('a call may have 16 MiB, however it comes', () => {
    const text = `${open}[run(command="${'x'.repeat(17 * 1024 * 1024)}")]${close}`;
    const whole = parser.parse(text, { tools }).errors;
    expect(whole).toMatchObject([{ kind: 'limit', start: 0, end: text.indexOf('(') + 1 + 16 * 1024 * 1024 }]);
    const stream = parser.stream({ tools });
    const pieces = Array.from({ length: 18 }, (_, index) => text.slice(index * 1024 ** 2, (index + 1) * 1024 ** 2));
    const events = [...pieces.flatMap((piece) => stream.feed(piece)), ...stream.finish()];
    expect(events.flatMap((event) => (event.type === 'error' ? [event.error] : []))).toEqual(whole);
  });

  test('eager mode shows the first call of a list as it comes, the others when the list is complete', () => {
    const events = eagerEvents(parser, `${open}[run(command="one\\ntwo"), ping(), ping()]${close}`, { tools });
    expect(events.filter((event) => event.type !== 'call-arguments').map((event) => [event.type])).toEqual(
      ['start', 'end', 'start', 'end', 'start', 'end'].map((type) => [`call-${type}`]),
    );
    const deltas = events.flatMap((event) => (event.type === 'call-arguments' && event.index === 0 ? event.delta : []));
    expect(deltas.join('')).toBe('{"command": "one\\ntwo"}');
    expect(deltas.length).toBeGreaterThan(7);
  });

  test('eager mode withdraws the first call of a list that breaks', () => {
    const events = eagerEvents(parser, `${open}[run(command="x"), run(command=y)]${close}`, { tools });
    const seen = new Set(events.map((event) => event.type));
    expect([...seen]).toEqual(['call-start', 'call-arguments', 'call-abort', 'error', 'content']);
  });
});

describe.each([pythonic, llama4Pythonic])('$name, without a frame', (parser) => {
  test.each([
    ['a list within a line', 'Now [ping()]'],
    ['a name that was not declared', '[pong()]'],
    ['an empty list', '[]'],
    ['numbers', '[1, 2]'],
    ['a link', '[ping](https://example.org)'],
    ['prose in brackets', '[see below (ping)]'],
    ['a list in a list', '[[ping()]]'],
    ['no name', '[(1)]'],
    ['a long word', `[${'x'.repeat(600)}(1)]`],
    ['a bracket at the end', 'a\n['],
    ['a name at the end', '[ping'],
  ])('what does not begin like a call is text, and no fault: %s', (_title, text) => {
    expect(readEveryWay(parser, text, { tools })).toEqual({ content: text, toolCalls: [], errors: [] });
  });

  test('a list may begin behind a bracket at the start of the line before', () => {
    expect(readCalls(parser, '[\n[ping()]', { tools })).toEqual({ content: '[', calls: [['ping', {}]] });
  });

  test('a further name that was not declared voids the list', () => {
    const { content, errors } = readEveryWay(parser, '[ping(), pong()]', { tools });
    expect(content).toBe('[ping(), pong()]');
    expect(errors).toEqual([
      { kind: 'bad-name', start: 0, end: 13, message: 'No tool call: no tool is called "pong" at offset 13' },
    ]);
  });

  test('text goes on behind a list in the same line', () => {
    expect(readCalls(parser, '[ping()] and more', { tools })).toEqual({ content: 'and more', calls: [['ping', {}]] });
  });
});

describe('the frame of Llama 4', () => {
  test('a name in it need not be declared', () => {
    expect(readCalls(llama4Pythonic, 'So: <|python_start|> [pong()] <|python_end|>', { tools })).toEqual({
      content: 'So:',
      calls: [['pong', {}]],
    });
  });

  test('its end may be missing', () => {
    expect(readCalls(llama4Pythonic, '<|python_start|>[pong()]').calls).toEqual([['pong', {}]]);
  });

  test('something else in it is text', () => {
    const text = '<|python_start|>print(1)<|python_end|>';
    const { content, errors } = readEveryWay(llama4Pythonic, text);
    expect(content).toBe(text);
    expect(errors).toMatchObject([{ kind: 'bad-structure', start: 0, end: 16 }]);
  });

  test('its end without a call is text', () => {
    expect(readCalls(llama4Pythonic, 'a<|python_end|>b').content).toBe('a<|python_end|>b');
  });
});

test.each([
  [pythonic, '[a(b=[True, None, "x\\"\\n"], c=-1.0), d()]'],
  [llama4Pythonic, '<|python_start|>[a(b=[True, None, "x\\"\\n"], c=-1.0), d()]<|python_end|>'],
  [lfm2, '<|tool_call_start|>[a(b=[True, None, "x\\"\\n"], c=-1.0), d()]<|tool_call_end|>'],
])('$name writes its calls', (parser, expected) => {
  const calls = [
    { name: 'a', arguments: '{"b": [true, null, "x\\"\\n"], "c": -1.0}' },
    { name: 'd', arguments: {} },
  ];
  expect(parser.render(calls, { content: 'Now.' })).toBe(`Now.\n${expected}`);
});

test.each([pythonic, llama4Pythonic, lfm2])('$name does not write what would be read otherwise', (parser) => {
  expect(parser.canRender([{ name: 'a', arguments: { 'two words': 1 } }])).toBe(false);
  expect(parser.canRender([{ name: 'a', arguments: { 'a=1, b': 1 } }])).toBe(false);
  expect(parser.canRender([{ name: 'a(', arguments: {} }])).toBe(false);
});
