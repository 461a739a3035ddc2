import { expect, test } from '@jest/globals';
import { olmo3 } from '@talaria/tool-call-parsers/olmo3';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

function section(body: string): string {
  return `<function_calls>${body}</function_calls>`;
}

test.each([
  ['lines', '\na(b=1)\nc()\n'],
  ['blank lines', '\n\na(b=1)\n\n\nc()\n\n'],
  ['commas', 'a(b=1), c()'],
  ['semicolons', 'a(b=1); c();\n'],
  ['blanks', ' a(b=1) c() '],
  ['nothing', 'a(b=1)c()'],
])('calls with %s between them', (_title, body) => {
  expect(readCalls(olmo3, `So.\n${section(body)}\nDone.`)).toEqual({
    content: 'So.\nDone.',
    calls: [
      ['a', { b: 1 }],
      ['c', {}],
    ],
  });
});

test('the end of the section may be missing', () => {
  expect(readCalls(olmo3, '<function_calls>\na()\n').calls).toEqual([['a', {}]]);
  expect(readCalls(olmo3, '<function_calls>a()<function_calls>b()').calls).toEqual([
    ['a', {}],
    ['b', {}],
  ]);
});

test.each([
  ['bad-structure', 'b(c=d)\ne()', 'expected a literal', 'd'],
  ['bad-structure', 'b(c=1 d=2)', 'expected , or )', 'd'],
  ['bad-structure', 'b\ne()', 'expected (', 'e'],
])('%s: a bad call voids the rest of its section: %j', (kind, rest, expected, found) => {
  const text = section(`\na()\n${rest}\n`);
  const { content, toolCalls, errors } = readEveryWay(olmo3, text);
  expect(toolCalls).toMatchObject([{ name: 'a', arguments: '{}' }]);
  expect(content).toBe(`${rest}\n</function_calls>`);
  const start = text.indexOf(rest);
  const end = errors[0]?.end ?? Number.NaN;
  expect(errors).toEqual([
    { kind, start, end, message: `No tool call: ${expected} at offset ${end}, found "${found}"` },
  ]);
  expect(text[end]).toBe(found);
});

test.each([
  ['truncated', '<function_calls>'],
  ['truncated', '<function_calls>\na'],
  ['truncated', '<function_calls>\na('],
  ['truncated', '<function_calls>\na(b="c'],
  ['bad-name', '<function_calls></function_calls>'],
  ['bad-name', '<function_calls>\n[a()]\n</function_calls>'],
  ['bad-arguments', '<function_calls>a(1)</function_calls>'],
])('%s: what is no call is text: %j', (kind, text) => {
  expect(readEveryWay(olmo3, text)).toMatchObject({ content: text, toolCalls: [], errors: [{ kind, start: 0 }] });
});

test('a later section counts', () => {
  expect(readCalls(olmo3, `${section('a(')}\n${section('b()')}`)).toEqual({
    content: section('a('),
    calls: [['b', {}]],
  });
});

test('eager mode gives each call as it comes, and withdraws none that was complete', () => {
  const events = eagerEvents(olmo3, section('run(command="one\\ntwo")\nb(c=x)'));
  const types = events.map((event) => event.type).filter((type) => type.startsWith('call-') || type === 'error');
  expect(types.filter((type) => type !== 'call-arguments')).toEqual([
    'call-start',
    'call-end',
    'call-start',
    'call-abort',
    'error',
  ]);
});

test('it writes a line for each call', () => {
  const calls = [
    { name: 'a', arguments: { b: [1, true] } },
    { name: 'c', arguments: '{}' },
  ];
  expect(olmo3.render(calls, { content: 'Now.' })).toBe(
    'Now.\n<function_calls>\na(b=[1, True])\nc()\n</function_calls>',
  );
});
