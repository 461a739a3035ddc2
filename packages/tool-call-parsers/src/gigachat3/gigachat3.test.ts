import { describe, expect, test } from '@jest/globals';
import { gigachat3 } from '@talaria/tool-call-parsers/gigachat3';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

const separator = '<|message_sep|>';
const ping = 'function call<|role_sep|>\n{"name": "ping", "arguments": {}}';

test.each([
  ['behind a separator', `${separator}\n\n${ping}`],
  ['at once behind a separator', `${separator}${ping}`],
  ['behind two separators', `${separator} ${separator}${ping}`],
  ['without a separator', ping],
  ['before a separator', `${ping}${separator}\n`],
  ['before a separator and the end of the turn', `${ping}${separator}</s>`],
  ['with the synonym', ping.replace('arguments', 'parameters')],
  ['without arguments', 'function call<|role_sep|>{"name": "ping"}'],
])('a call %s', (_title, text) => {
  expect(readCalls(gigachat3, text)).toEqual({ content: null, calls: [['ping', {}]] });
});

describe('separators', () => {
  test.each([
    ['at the start', `${separator}\n\nHello.`, 'Hello.'],
    ['at the end', `Hello. ${separator}\n`, 'Hello. '],
    ['at both ends, several', `${separator}${separator}Hello.${separator} ${separator}`, 'Hello.'],
    ['alone', separator, ''],
    ['before the end of the turn', `Hello.${separator}</s>`, 'Hello.'],
    ['in the text', `One ${separator} two`, `One ${separator} two`],
    ['cut by the end', `One ${separator.slice(0, 8)}`, `One ${separator.slice(0, 8)}`],
  ])('%s', (_title, text, content) => {
    expect(readEveryWay(gigachat3, text)).toEqual({ content, toolCalls: [], errors: [] });
  });

  test('text behind a call is content, the separator before it is not', () => {
    expect(readCalls(gigachat3, `Ok.${separator}${ping}${separator}\nDone.`)).toEqual({
      content: 'Ok.\nDone.',
      calls: [['ping', {}]],
    });
  });
});

test.each([
  ['bad-json', 'function call<|role_sep|>{"name": "ping",}'],
  ['bad-structure', 'function call<|role_sep|>ping'],
  ['bad-name', 'function call<|role_sep|>{"arguments": {}}'],
  ['bad-arguments', 'function call<|role_sep|>{"name": "ping", "arguments": 1}'],
  ['truncated', 'function call<|role_sep|>{"name": "ping"'],
])('%s: %j is text', (kind, text) => {
  const whole = `Hm${separator}\n\n${text}`;
  expect(readEveryWay(gigachat3, whole)).toMatchObject({ content: whole, toolCalls: [], errors: [{ kind, start: 2 }] });
});

test('arguments flow in eager mode', () => {
  const events = eagerEvents(gigachat3, ping.replace('{}', `{"a": "${'x'.repeat(40)}"}`));
  expect(events.filter((event) => event.type === 'call-arguments').length).toBeGreaterThan(40);
});

test('writing', () => {
  expect(gigachat3.render([{ name: 'ping', arguments: {} }], { content: 'Ok.' })).toBe(`Ok.${separator}\n\n${ping}`);
  expect(gigachat3.canRender([], { content: `Ok.${separator}` })).toBe(false);
});
