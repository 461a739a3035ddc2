import { describe, expect, test } from '@jest/globals';
import { foldEvents } from '@talaria/tool-call-parsers';
import { xlam } from '@talaria/tool-call-parsers/xlam';
import { toolFor } from '../../fuzz/value-schema.ts';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

const tools = [toolFor('ping', {}), toolFor('calc', { a: 1 })];
const ping = '{"name": "ping", "arguments": {}}';
const calc = '{"name": "calc", "arguments": {"a": 1}}';
const fence = '```';

describe('frames', () => {
  test.each([
    ['none, at the start', `[${ping}]`, null],
    ['none, behind white space', `\n\n[ ${ping} ]\n`, null],
    ['thinking', `<think>Hm.</think>[${ping}]`, '<think>Hm.</think>'],
    ['thinking and white space', `<think>Hm.</think>\n\n[${ping}]`, '<think>Hm.</think>'],
    ['the end of thinking alone', `Hm.</think> [${ping}]`, 'Hm.</think>'],
    ['a fence', `${fence}\n[${ping}]\n${fence}`, null],
    ['a fence with its language', `Hm.\n${fence}json\n[${ping}]\n${fence}`, 'Hm.'],
    ['a fence in one line', `${fence}json [${ping}] ${fence}`, null],
    ['a fence in text', `Hm.\n${fence}\n[${ping}]\n${fence}\nBye.`, 'Hm.\nBye.'],
    ['a fence behind thinking', `</think>\n${fence}json\n[${ping}]\n${fence}`, '</think>'],
    ['the marker of Mistral', `Hm. [TOOL_CALLS] [${ping}]`, 'Hm.'],
    ['the marker of Mistral at the start', `[TOOL_CALLS][${ping}]`, null],
    ['tags', `Hm.\n<tool_call>[${ping}]</tool_call> Bye.`, 'Hm.\nBye.'],
    ['a tag without an end', `<tool_call>\n[${ping}]`, null],
    ['two frames', `[${ping.replace('ping', 'x')}] ${fence}\n[${ping}]\n${fence}`, '[{"name": "x", "arguments": {}}]'],
  ])('%s', (_title, text, content) => {
    expect(readCalls(xlam, text, { tools })).toEqual({ content, calls: [['ping', {}]] });
  });

  test.each(['[TOOL_CALLS]', '<tool_call>'])('behind %s, tools may be unknown', (marker) => {
    expect(readCalls(xlam, `${marker}[{"name": "x"}]`, { tools }).calls).toEqual([['x', {}]]);
  });
});

describe('what is text, and no fault', () => {
  test.each([
    ['an array in text', `So: [${ping}]`],
    ['an array behind text in thinking', `</think>So: [${ping}]`],
    ['an undeclared name', '[{"name": "Bob", "arguments": {}}]'],
    ['an undeclared name behind thinking', '</think>[{"name": "Bob", "arguments": {}}]'],
    ['an undeclared name in a fence', `${fence}json\n[{"name": "Bob", "arguments": {}}]\n${fence}`],
    ['an object in a fence', `${fence}json\n${ping}\n${fence}`],
    ['a program in a fence', `${fence}python\nx[0] = [{"name": "ping"}]\n${fence}`],
    ['an empty fence', `${fence}\n${fence}`],
    ['an open fence', `${fence}json\n`],
    ['numbers in a fence', `${fence}\n[1, 2]\n${fence}`],
  ])('%s', (_title, text) => {
    expect(readEveryWay(xlam, text, { tools })).toEqual({ content: text, toolCalls: [], errors: [] });
  });
});

describe('a fence', () => {
  test.each([
    ['that does not close', `${fence}\n[${ping}]`, 'truncated'],
    ['that closes in part', `${fence}\n[${ping}]\n\`\``, 'truncated'],
    ['that goes on', `${fence}\n[${ping}]\nmore\n${fence}`, 'bad-structure'],
    ['whose array is open', `${fence}\n[${ping}, ${calc}`, 'truncated'],
    ['whose array breaks', `${fence}\n[${ping}, {"name": "calc", "arguments": {1}}]\n${fence}`, 'bad-structure'],
    ['whose only call breaks', `${fence}\n[{"name": "calc", "arguments": {1}}]\n${fence}`, 'bad-json'],
  ])('%s holds no call, which is told', (_title, text, kind) => {
    const result = readEveryWay(xlam, text, { tools });
    expect(result).toMatchObject({ content: text, toolCalls: [], errors: [{ kind, start: 0 }] });
    expect(result.errors).toHaveLength(1);
  });

  test('its elements count one by one', () => {
    const array = `[{"name": "Bob"}, ${ping}, {"x": 1}, 3, ${calc}, {"y": 2}]`;
    const result = readEveryWay(xlam, `Hm.\n${fence}json\n${array}\n${fence}\nBye.`, { tools });
    expect(result.toolCalls.map((call) => call.name)).toEqual(['ping', 'calc']);
    expect(result.content).toBe(`Hm.\n${fence}json\n[{"name": "Bob"},\n{"x": 1}, 3,\n{"y": 2}]\n${fence}\nBye.`);
    expect(result.errors).toEqual([]);
  });

  test('a call with a fault beside calls is told once the fence is closed', () => {
    const array = `[${ping}, {"name": "calc", "arguments": 3}, ${calc}]`;
    const result = readEveryWay(xlam, `${fence}\n${array}\n${fence}`, { tools });
    expect(result.toolCalls.map((call) => call.name)).toEqual(['ping', 'calc']);
    expect(result.content).toBe('{"name": "calc", "arguments": 3},');
    expect(result.errors).toMatchObject([{ kind: 'bad-arguments' }]);
  });

  test('a call behind one that does not close counts', () => {
    const text = `${fence}\n[${ping}] oops\n<tool_call>[${calc}]</tool_call>`;
    expect(readCalls(xlam, text, { tools })).toEqual({
      content: `${fence}\n[${ping}] oops`,
      calls: [['calc', { a: 1 }]],
    });
  });

  test('eager: its first call flows, and is withdrawn where the fence does not close', () => {
    const stream = xlam.stream({ tools, commit: 'eager' });
    stream.feed(`${fence}json\n[{"name": "calc", "arguments": {"a": "`);
    expect(stream.feed('long')).toEqual([{ type: 'call-arguments', index: 0, delta: 'long' }]);
    const cut = eagerEvents(xlam, `${fence}\n[${calc}, ${ping}] oops`, { tools });
    expect(cut.filter((event) => event.type === 'call-abort')).toHaveLength(1);
    expect(foldEvents(cut).toolCalls).toEqual([]);
    const closed = eagerEvents(xlam, `${fence}\n[${calc}, ${ping}]\n${fence}`, { tools });
    expect(closed.filter((event) => event.type === 'call-abort')).toEqual([]);
    expect(foldEvents(closed).toolCalls).toHaveLength(2);
  });

  test('data in it flows as soon as it is known to be data', () => {
    const stream = xlam.stream({ tools });
    expect(stream.feed(`${fence}json\n[{"name": "Bob"`)).toEqual([
      { type: 'content', text: `${fence}json\n[{"name": "Bob"` },
    ]);
  });
});

test('calls are written in a fence', () => {
  expect(xlam.render([{ name: 'a', arguments: {} }], { content: 'Hm.' })).toBe(
    `Hm.\n${fence}json\n[{"name": "a", "arguments": {}}]\n${fence}`,
  );
  expect(xlam.canRender([{ name: 'unknown', arguments: {} }], { tools })).toBe(false);
});
