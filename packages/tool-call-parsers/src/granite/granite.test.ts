import { describe, expect, test } from '@jest/globals';
import { granite } from '@talaria/tool-call-parsers/granite';
import { toolFor } from '../../fuzz/value-schema.ts';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

const tools = [toolFor('ping', {}), toolFor('calc', { a: 1 })];
const ping = '{"name": "ping", "arguments": {}}';

test.each(['<|tool_call|>', '<tool_call>'])('%s stands before an array', (marker) => {
  expect(readCalls(granite, `Hm.\n${marker} [${ping}] Bye.`)).toEqual({ content: 'Hm.\nBye.', calls: [['ping', {}]] });
  expect(readCalls(granite, `${marker}[{"name": "unknown"}]`, { tools }).calls).toEqual([['unknown', {}]]);
});

describe('an array without a marker', () => {
  test.each([
    ['at the start', `[${ping}]`],
    ['behind white space', `\n [ ${ping} ]`],
    ['without arguments', '[{"name": "ping"}]'],
    ['with other keys', '[{"id": 3, "name": "ping", "arguments": {}, "type": "function"}]'],
    ['with the synonym', '[{"parameters": {}, "name": "ping"}]'],
    ['without its end', `[${ping}`],
  ])('is read %s', (_title, text) => {
    expect(readCalls(granite, text, { tools })).toEqual({ content: null, calls: [['ping', {}]] });
  });

  test.each([
    ['behind text', `So: [${ping}]`],
    ['with an undeclared name', '[{"name": "Bob", "arguments": {}}]'],
    ['without a name', '[{"arguments": {}}]'],
    ['of numbers', '[1, 2]'],
    ['of arrays', `[[${ping}]]`],
    ['that is none', '[link](https://example.org) and more'],
    ['that is empty', '[]'],
    ['that is cut', '['],
    ['that is cut in a name', '[{"name": "pi'],
    ['that is no JSON', '[{name: "ping"}]'],
  ])('is text %s, and no fault', (_title, text) => {
    expect(readEveryWay(granite, text, { tools })).toEqual({ content: text, toolCalls: [], errors: [] });
  });

  test('without tools, a name alone makes no call', () => {
    expect(readCalls(granite, '[{"name": "Bob"}]').calls).toEqual([]);
    expect(readCalls(granite, '[{"name": "Bob", "arguments": {}}]').calls).toEqual([['Bob', {}]]);
  });

  test('elements count one by one', () => {
    const text = `[{"name": "Bob"}, ${ping}, {"x": 1}, 3, {"name": "calc", "parameters": {"a": 1}}] Bye.`;
    const result = readEveryWay(granite, text, { tools });
    expect(result.toolCalls.map((call) => call.name)).toEqual(['ping', 'calc']);
    expect(result.content).toBe('[{"name": "Bob"},\n{"x": 1}, 3,\nBye.');
    expect(result.errors).toEqual([]);
  });

  test.each([
    ['broken arguments', '[{"name": "calc", "arguments": {"a": }}]', 'bad-json', 37],
    ['other arguments', '[{"name": "calc", "arguments": 3}]', 'bad-arguments', 33],
    ['cut arguments', '[{"name": "calc", "arguments": {"a": ', 'truncated', 37],
    ['a name that is taken back', '[{"name": "calc", "arguments": {}, "name": "Bob"}]', 'bad-structure', 43],
    ['a name that is overwritten', '[{"name": "calc", "arguments": {}, "name": 1}]', 'bad-arguments', 45],
  ])('a declared call with %s is told', (_title, text, kind, end) => {
    const result = readEveryWay(granite, text, { tools });
    expect(result).toMatchObject({ content: text, toolCalls: [], errors: [{ kind, start: 0, end }] });
  });

  test('data flows as soon as it is known to be data', () => {
    const stream = granite.stream({ tools });
    expect(stream.feed('[{"name": "Bob"')).toEqual([{ type: 'content', text: '[{"name": "Bob"' }]);
    expect(stream.feed(', "age": "thirty')).toEqual([{ type: 'content', text: ', "age": "thirty' }]);
  });

  test('eager: nothing is said of a call before it is known to be one', () => {
    const types = eagerEvents(granite, '[{"arguments": {"a": 1}, "name": "Bob"}]', { tools }).map(
      (event) => event.type,
    );
    expect(new Set(types)).toEqual(new Set(['content']));
    const stream = granite.stream({ tools, commit: 'eager' });
    expect(stream.feed('[{"name": "calc"').map((event) => event.type)).toEqual(['call-start']);
    expect(stream.feed(', "arguments": {"a": "xy').map((event) => event.type)).toEqual(['call-arguments']);
  });
});

test('calls are written with the marker', () => {
  expect(granite.render([{ name: 'a', arguments: {} }], { content: 'Hm.', tools })).toBe(
    'Hm.\n<|tool_call|>[{"name": "a", "arguments": {}}]',
  );
});
