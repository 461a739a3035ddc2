import { describe, expect, test } from '@jest/globals';
import type { StreamEvent } from '@talaria/tool-call-parsers';
import { llama3Json } from '@talaria/tool-call-parsers/llama3_json';
import { llama4Json } from '@talaria/tool-call-parsers/llama4_json';
import { toolFor } from '../../fuzz/value-schema.ts';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

const tag = '<|python_tag|>';
const tools = [toolFor('ping', {}), toolFor('calc', { a: 1 })];
const ping = '{"name": "ping", "parameters": {}}';

function contentOf(events: readonly StreamEvent[]): string {
  return events.flatMap((event) => (event.type === 'content' ? [event.text] : [])).join('');
}

describe.each([llama3Json, llama4Json])('$name', (parser) => {
  test.each([
    ['alone', ping],
    ['behind the tag', `${tag}${ping}`],
    ['behind the tag and white space', `${tag} \n${ping}`],
    ['in brackets', `[${ping}]`],
    ['in brackets behind the tag', `${tag}[ ${ping} ]`],
    ['in many brackets', `[[${ping}]]`],
    ['behind two tags', `${tag}${tag}${ping}`],
    ['before a separator', `${ping}; `],
    ['before separators of all kinds', `${ping} ,;] ;`],
    ['with the synonym', '{"name": "ping", "arguments": {}}'],
    ['with a type and an id', '{"type": "function", "id": "x", "name": "ping", "parameters": {}}'],
    ['with null as arguments', '{"name": "ping", "parameters": null}'],
    ['with encoded arguments', '{"parameters": "{}", "name": "ping"}'],
    ['with white space in front of the first key', '{\n  "name": "ping",\n  "parameters": {}\n}'],
    ['with an escaped key', '{"n\\u0061me": "ping", "parameters": {}}'],
  ])('a call %s', (_title, text) => {
    expect(readCalls(parser, text, { tools })).toEqual({ content: null, calls: [['ping', {}]] });
  });

  test.each([
    ['nothing', ''],
    ['a line feed', '\n'],
    ['a semicolon', '; '],
    ['a comma', ','],
    ['brackets', '] ['],
    ['a tag', `\n${tag}`],
  ])('two calls with %s between them', (_title, between) => {
    const text = `${ping}${between}{"name": "calc", "parameters": {"a": 1}}`;
    expect(readCalls(parser, text, { tools })).toEqual({
      content: null,
      calls: [
        ['ping', {}],
        ['calc', { a: 1 }],
      ],
    });
  });

  test.each([
    ['a comma before a call', `Sure, ${ping}`, 'Sure,'],
    ['a comma behind text behind a call', `${ping} a, b`, 'a, b'],
    ['a bracket that text divides from the call', `[ok ${ping}`, '[ok'],
    ['a tag that text divides from the call', `${tag}ok ${ping}`, `${tag}ok`],
    ['a bracket behind the last call', `${ping} [`, '['],
    ['a brace', `{ ${ping}`, '{'],
    ['data before a call', `{"a": 1} ${ping}`, '{"a": 1}'],
    ['an empty object', `{}${ping}`, '{}'],
    ['what is no JSON', `{"a": oops ${ping}`, '{"a": oops'],
    ['objects of another language', `{'name': 'x'} {name: 1} ${ping}`, "{'name': 'x'} {name: 1}"],
    ['an array of data', `[{"name": "Bob", "age": 7}] ${ping}`, '[{"name": "Bob", "age": 7}]'],
  ])('%s is content', (_title, text, content) => {
    expect(readCalls(parser, text, { tools })).toEqual({ content, calls: [['ping', {}]] });
  });

  test.each([
    ['another key', '{"name": "ping", "age": 7, "parameters": {}}'],
    ['no arguments', '{"name": "ping"}'],
    ['no name', '{"parameters": {}}'],
    ['a name that is no string', '{"name": 7, "parameters": {}}'],
    ['a blank name', '{"name": " ", "parameters": {}}'],
    ['a name that nobody declared', '{"name": "Alice", "parameters": {"a": 1}}'],
    ['the same, arguments first', '{"parameters": {"a": 1}, "name": "Alice"}'],
    ['a call inside data', `{"status": "ok", "call": ${ping}}`],
    ['a call inside data inside an array', `[{"a": [${ping}]}]`],
    ['the end of the text', '{"name": "pi'],
  ])('an object is data because of %s', (_title, text) => {
    expect(readEveryWay(parser, text, { tools })).toEqual({ content: text, toolCalls: [], errors: [] });
  });

  test('without tools every name will do, and behind the tag always', () => {
    const text = '{"name": "Alice", "parameters": {"a": 1}}';
    expect(readCalls(parser, text).calls).toEqual([['Alice', { a: 1 }]]);
    expect(readCalls(parser, text, { tools: [] }).calls).toHaveLength(1);
    expect(readCalls(parser, `${tag}${text}`, { tools }).calls).toHaveLength(1);
    expect(readCalls(parser, `${tag}[${text}]`, { tools }).calls).toHaveLength(0);
    expect(readCalls(parser, `${tag}${ping}; ${text}`, { tools })).toEqual({ content: text, calls: [['ping', {}]] });
  });

  test('tools in the shape of the Responses API declare names too', () => {
    const responses = [{ type: 'function' as const, name: 'ping', parameters: {} }];
    expect(readCalls(parser, `${ping} {"name": "calc", "parameters": {}}`, { tools: responses }).calls).toEqual([
      ['ping', {}],
    ]);
  });

  test.each([
    ['truncated', '{"name": "ping", "parameters": {"a"'],
    ['bad-json', '{"name": "ping", "parameters": {"a": x}}'],
    ['bad-arguments', '{"name": "ping", "parameters": [1]} and on'],
    ['bad-structure', '{"name": "ping", "parameters": {}, "age": 7} and on'],
    ['bad-structure', `${tag}brave_search.call(query="x")`],
    ['bad-arguments', `${tag}{"name": "ping"}`],
    ['bad-arguments', `${tag}{"id": "1"}`],
    ['bad-structure', `${tag}{"a": 1} and on`],
    ['bad-json', `${tag}{oops`],
    ['truncated', `${tag}{"na`],
    ['truncated', tag],
  ])('%s is told of what looked like a call: %j', (kind, text) => {
    expect(readEveryWay(parser, text, { tools })).toMatchObject({
      content: text,
      toolCalls: [],
      errors: [{ kind, start: 0 }],
    });
  });

  test('data comes out as soon as it is known to be none of a call', () => {
    for (const text of [
      '{"city": "',
      '{"name": "Alice", ',
      '[ {"name": "ping", "age"',
      '{ x',
      '{"a": [{"name": "ping"',
    ]) {
      const stream = parser.stream({ tools });
      expect(contentOf([...text].flatMap((unit) => stream.feed(unit))).length).toBeGreaterThan(text.length - 3);
    }
  });

  test('a call is announced once its name and the key of its arguments are there', () => {
    const events = eagerEvents(parser, `Well. [{"name": "calc", "parameters": {"a": "${'x'.repeat(50)}"}}]`, { tools });
    const start = events.findIndex((event) => event.type === 'call-start');
    expect(contentOf(events.slice(0, start))).toBe('Well.');
    expect(events.filter((event) => event.type === 'call-arguments').length).toBeGreaterThan(50);
  });
});

test('each writes its own layout', () => {
  const calls = [
    { name: 'a', arguments: { b: 1 } },
    { name: 'c', arguments: {} },
  ];
  const written = '{"name": "a", "parameters": {"b": 1}}; {"name": "c", "parameters": {}}';
  expect(llama3Json.render(calls, { content: 'Now.' })).toBe(`Now.\n${written}`);
  expect(llama4Json.render(calls, { content: 'Now.' })).toBe(`Now.\n${tag}${written}`);
});

test('calls that would be data for the reader are not written', () => {
  const calls = [
    { name: 'ping', arguments: {} },
    { name: 'other', arguments: {} },
  ];
  expect(llama3Json.canRender(calls)).toBe(true);
  expect(llama3Json.canRender(calls, { tools })).toBe(false);
  expect(llama3Json.canRender([{ name: ' ', arguments: {} }])).toBe(false);
});
