import { describe, expect, test } from '@jest/globals';
import { apertus } from '@talaria/tool-call-parsers/apertus';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

const prefix = '<|tools_prefix|>';
const suffix = '<|tools_suffix|>';

test.each([
  ['with all tokens', `${prefix}[{"ping": {"a": 1}}]${suffix}`],
  ['with white space', `${prefix} [\n{ "ping" :\n{"a": 1} } ] ${suffix}\n`],
  ['without the suffix', `${prefix}[{"ping": {"a": 1}}]`],
  ['without the bracket', `${prefix}[{"ping": {"a": 1}}`],
  ['with an escaped name', `${prefix}[{" p\\u0069ng ": {"a": 1}}]`],
])('a call %s', (_title, text) => {
  expect(readCalls(apertus, text)).toEqual({ content: null, calls: [['ping', { a: 1 }]] });
});

test('a tool may be called like a key of other formats', () => {
  expect(readCalls(apertus, `${prefix}[{"name": {"arguments": 1}}, {"arguments": {}}]`).calls).toEqual([
    ['name', { arguments: 1 }],
    ['arguments', {}],
  ]);
});

describe('an element that is no call is text, and the rest counts', () => {
  test.each([
    ['two keys', '{"ping": {}, "calc": {}}', 'bad-structure', 'expected one key only, and }'],
    ['no key', '{}', 'bad-structure', 'expected a name'],
    ['a blank name', '{" ": {}}', 'bad-name', 'the name is blank'],
    ['a number', '{"ping": 3}', 'bad-structure', 'expected {'],
    ['null', '{"ping": null}', 'bad-structure', 'expected {'],
    ['encoded arguments', '{"ping": "{}"}', 'bad-structure', 'expected {'],
    ['a string', '"ping"', 'bad-structure', 'expected {'],
  ])('%s', (_title, element, kind, message) => {
    const result = readEveryWay(apertus, `${prefix}[${element}, {"good": {}}]${suffix}`);
    expect(result.toolCalls.map((call) => call.name)).toEqual(['good']);
    expect(result.content).toBe(`${prefix}[${element},`);
    expect(result.errors).toMatchObject([{ kind, start: 0, message: expect.stringContaining(message) }]);
  });
});

test.each([
  ['no colon', '[{"ping" {}}]', 'bad-structure'],
  ['a bad escape', '[{"p\\x": {}}]', 'bad-json'],
  ['bad arguments', '[{"ping": {a}}]', 'bad-json'],
  ['a cut name', '[{"pi', 'truncated'],
  ['a cut key', '[{"ping"', 'truncated'],
  ['cut arguments', '[{"ping": {"a": "', 'truncated'],
  ['a cut object', '[{"ping": {}', 'truncated'],
])('%s: what follows is searched for calls', (_title, array, kind) => {
  const broken = `${prefix}${array}`;
  expect(readEveryWay(apertus, broken)).toMatchObject({ content: broken, toolCalls: [], errors: [{ kind, start: 0 }] });
  const { content, calls } = readCalls(apertus, `${broken} ${prefix}[{"good": {}}]${suffix}`);
  expect([content, calls]).toEqual([broken, [['good', {}]]]);
});

test('eager: the name is said when the arguments begin, and they flow', () => {
  const stream = apertus.stream({ commit: 'eager' });
  expect(stream.feed(`${prefix}[{"pi`)).toEqual([]);
  expect(stream.feed('ng": {"a": "x').map((event) => event.type)).toEqual(['call-start', 'call-arguments']);
  expect(stream.feed('y').map((event) => event.type)).toEqual(['call-arguments']);
  const withdrawn = eagerEvents(apertus, `${prefix}[{"ping": {}, "x": 1}]`);
  expect(withdrawn.map((event) => event.type)).toContain('call-abort');
});

test('calls are written by their names', () => {
  const calls = [
    { name: 'a', arguments: { b: 1 } },
    { name: 'c"d', arguments: {} },
  ];
  expect(apertus.render(calls)).toBe(`${prefix}[{"a": {"b": 1}}, {"c\\"d": {}}]${suffix}`);
});
