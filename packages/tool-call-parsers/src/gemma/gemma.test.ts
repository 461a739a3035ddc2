import { describe, expect, test } from '@jest/globals';
import type { ToolSchema } from '@talaria/tool-call-parsers';
import { functiongemma } from '@talaria/tool-call-parsers/functiongemma';
import { gemma4 } from '@talaria/tool-call-parsers/gemma4';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

const formats = [
  { parser: gemma4, start: '<|tool_call>', end: '<tool_call|>', quote: '<|"|>' },
  { parser: functiongemma, start: '<start_function_call>', end: '<end_function_call>', quote: '<escape>' },
];

function toolOf(properties: Readonly<Record<string, unknown>>): readonly ToolSchema[] {
  return [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties } } }];
}

describe.each(formats)('$parser.name', ({ parser, start, end, quote }) => {
  /** Delimiters are written as quotes here. */
  const call = (object: string, name = 'f'): string => `${start}call:${name}${object.replaceAll('"', quote)}${end}`;

  test.each([
    ['no white space', '{a:1,b:"x"}', { a: 1, b: 'x' }],
    ['white space everywhere', ' \n{ a : 1 , b :\t"x" \n} ', { a: 1, b: 'x' }],
    ['keys between delimiters', '{"a":1,"two words" :2,"":3}', { a: 1, 'two words': 2, '': 3 }],
    [
      'keys of several words and letters',
      '{two words:1,größe:2,a"b:3}'.replace('"', "'"),
      {
        'two words': 1,
        größe: 2,
        "a'b": 3,
      },
    ],
    [
      'objects and arrays',
      '{a:{b:[{},[],[[1]]]},c:[1, "x" ,{d:2}]}',
      { a: { b: [{}, [], [[1]]] }, c: [1, 'x', { d: 2 }] },
    ],
    ['words', '{a:true,b:false,c:null,d:none,e:nil}', { a: true, b: false, c: null, d: null, e: null }],
    ['numbers', '{a:0,b:-1.5,c:1e3,d:[ -0.5E-2 ]}', { a: 0, b: -1.5, c: 1000, d: [-0.005] }],
    [
      'bare text',
      '{a:Oslo,b: New York z:1 ,c:10:30,d:007,e:+1,f:1.,g:True}',
      {
        a: 'Oslo',
        b: 'New York z:1',
        c: '10:30',
        d: '007',
        e: '+1',
        f: '1.',
        g: 'True',
      },
    ],
    [
      'strings that look like others',
      '{a:"1",b:"null",c:" x ",d:"",e:"\n"}',
      { a: '1', b: 'null', c: ' x ', d: '', e: '\n' },
    ],
    ['back-slashes and controls', '{a:"\\n\u0000\\"}', { a: '\\n\u0000\\' }],
    ['a key given twice: the last counts', '{a:1,a:2}', { a: 2 }],
    ['delimiters within a string', '{a:"say "yes" or "no"!",b:"x"}', { a: 'say "yes" or "no"!', b: 'x' }],
    ['delimiters at the ends of a string', '{a:"""x"" ""y""",b:1}', { a: '""x"" ""y""', b: 1 }],
    ['structure within a string', '{a:"},{]",b:"c:1,d:2"}', { a: '},{]', b: 'c:1,d:2' }],
  ])('a call: %s', (_title, object, value) => {
    expect(readCalls(parser, call(object))).toEqual({ content: null, calls: [['f', value]] });
  });

  test('tags within a string mean nothing', () => {
    const text = call(`{a:"${start}call:g{}${end}"}`);
    expect(readCalls(parser, text).calls).toEqual([['f', { a: `${start}call:g{}${end}` }]]);
  });

  test('digits and the order of keys are kept', () => {
    const { toolCalls } = parser.parse(call('{b:12345678901234567890,1:1.50}'));
    expect(toolCalls[0]?.arguments).toBe('{"b": 12345678901234567890, "1": 1.50}');
  });

  test.each([
    ['an integer', { type: 'integer' }, '"12"', 12],
    ['one of several types', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, '"none"', null],
    ['a boolean', { type: 'boolean' }, 'True', true],
    ['an object', { type: 'object' }, '"{"k": 1}"', { k: 1 }],
    ['something else', { type: 'integer' }, '"twelve"', 'twelve'],
    ['a string', { type: 'string' }, '"12"', '12'],
    ['a string or a number', { type: ['string', 'number'] }, '"12"', '12'],
    ['a number where a string is declared', { type: 'string' }, '12', 12],
    ['items', { type: 'array', items: { type: 'integer' } }, '["1","2",3]', [1, 2, 3]],
    ['members', { type: 'object', properties: { k: { type: 'integer' } } }, '{k:"1",l:"1"}', { k: 1, l: '1' }],
  ])('the schema tells the type where no string is declared: %s', (_title, schema, value, expected) => {
    expect(readCalls(parser, call(`{a:${value}}`), { tools: toolOf({ a: schema }) }).calls).toEqual([
      ['f', { a: expected }],
    ]);
  });

  test('names of servers and folders', () => {
    expect(readCalls(parser, call('{}', 'srv:tools/read-file.v2')).calls).toEqual([['srv:tools/read-file.v2', {}]]);
    expect(readCalls(parser, `${start} call: f {}${end}`).calls).toEqual([['f', {}]]);
  });

  test('text around calls is content', () => {
    expect(readCalls(parser, `One. ${call('{}')} Two. ${call('{}')}${call('{}')} \nThree.`).content).toBe(
      'One.\nTwo.\nThree.',
    );
  });

  test('the end tag may be missing or cut at the end, and missing before another call', () => {
    const open = `${start}call:f{}`;
    for (const text of [open, `${open}\n`, `${open}${end.slice(0, 5)}`]) {
      expect(readCalls(parser, text)).toEqual({ content: null, calls: [['f', {}]] });
    }
    expect(readCalls(parser, `${open}${call('{}')}`).calls.length).toBe(2);
  });

  test.each([
    ['{a:{}b:2}', ', or }', 'b'],
    ['{a:[1]]}', ', or }', ']'],
    ['{a:["x"}', ', or ]', '}'],
    ['{a:1,}', 'key:', '}'],
    ['{,}', 'key:', ','],
    ['{a}', 'key:', '}'],
    ['{:1}', 'key:', ':'],
    ['{a:}', 'a value', '}'],
    ['{a:,b:1}', 'a value', ','],
    ['{a:x{}}', ', or }', '{'],
    ['{a:x"y"}', ', or }', '<'],
    ['{a:[1,]}', 'a value', ']'],
    ['{} and more', end, 'a'],
    ['[]', '{', '['],
  ])('bad-structure: %j', (object, expected, found) => {
    const text = call(object);
    const { content, toolCalls, errors } = readEveryWay(parser, text);
    expect({ content, toolCalls }).toEqual({ content: text, toolCalls: [] });
    const at = errors[0]?.end ?? Number.NaN;
    const message = `No tool call: expected ${expected} at offset ${at}, found "${found}"`;
    expect(errors).toEqual([{ kind: 'bad-structure', start: 0, end: at, message }]);
    expect(text[at]).toBe(found);
  });

  test.each([
    ['bad-structure', `${start}f{}${end}`],
    ['bad-name', `${start}call:{}${end}`],
    ['bad-structure', `${start}call:a b{}${end}`],
    ['bad-name', `${start}call:${'n'.repeat(600)}{}${end}`],
    ['bad-structure', `${start}call:f{${'k'.repeat(600)}:1}${end}`],
    ['bad-structure', `${start}call:f{a:1${end}`],
    ['limit', `${start}call:f{a:${'['.repeat(600)}`],
    ['truncated', start],
    ['truncated', `${start}ca`],
    ['truncated', `${start}call:f`],
    ['truncated', `${start}call:f{`],
    ['truncated', `${start}call:f{a`],
    ['truncated', `${start}call:f{${quote}a`],
    ['truncated', `${start}call:f{a:`],
    ['truncated', `${start}call:f{a:1`],
    ['truncated', `${start}call:f{a:${quote.slice(0, 3)}`],
    ['truncated', `${start}call:f{a:${quote}x`],
    ['truncated', `${start}call:f{a:${quote}x${quote}`],
    ['truncated', `${start}call:f{a:${quote}x${quote},`],
    ['truncated', `${start}call:f{a:[1`],
  ])('%s: what is no call is text: %j', (kind, text) => {
    expect(readEveryWay(parser, text)).toMatchObject({ content: text, toolCalls: [], errors: [{ kind, start: 0 }] });
  });

  test('a call behind a bad one counts, even where a brace is missing', () => {
    for (const bad of [call('{a}'), `${start}call:f{a:1${end}`, `${start} is a tag.`]) {
      expect(readCalls(parser, `${bad} ${call('{}')}`)).toEqual({ content: bad, calls: [['f', {}]] });
    }
  });

  test('a call may have 16 MiB, however it comes', () => {
    const text = call(`{a:"${'x'.repeat(17 * 1024 * 1024)}"}`);
    const limit = 16 * 1024 * 1024;
    const whole = parser.parse(text).errors;
    expect(whole).toMatchObject([{ kind: 'limit', start: 0, end: limit }]);
    const stream = parser.stream();
    const pieces = Array.from({ length: 18 }, (_, index) => text.slice(index * 1024 ** 2, (index + 1) * 1024 ** 2));
    const events = [...pieces.flatMap((piece) => stream.feed(piece)), ...stream.finish()];
    expect(events.flatMap((event) => (event.type === 'error' ? [event.error] : []))).toEqual(whole);
  });

  test('eager mode gives the name once, and strings as they come', () => {
    const events = eagerEvents(parser, call('{a:"one <two>, "three"",b:12,c:[{d:"x"}]}'));
    expect(events.filter((event) => event.type === 'call-start')).toEqual([
      { type: 'call-start', index: 0, id: 'id1', name: 'f' },
    ]);
    const deltas = events.flatMap((event) => (event.type === 'call-arguments' ? [event.delta] : []));
    expect(deltas.join('')).toBe('{"a": "one <two>, \\"three\\"", "b": 12, "c": [{"d": "x"}]}');
    expect(deltas.length).toBeGreaterThan(20);
  });

  test('eager mode withdraws a call that breaks', () => {
    const events = eagerEvents(parser, call('{a:1}x'));
    expect([...new Set(events.map((event) => event.type))]).toEqual([
      'call-start',
      'call-arguments',
      'call-abort',
      'error',
      'content',
    ]);
  });

  test('it writes strings between delimiters, and keys without them where that is plain', () => {
    const calls = [
      { name: 'a', arguments: '{"b": [1.50, true, null, {"two words": "x\\n\\"y\\""}], "": {}}' },
      { name: 'c', arguments: {} },
    ];
    expect(parser.render(calls, { content: 'Now.' })).toBe(
      `Now.\n${call('{b:[1.50,true,null,{"two words":"x\nQyQ"}],"":{}}', 'a').replaceAll('Q', '"')}${call('{}', 'c')}`,
    );
  });

  test('what would be read otherwise is not written', () => {
    const unwritable = (value: unknown): boolean => !parser.canRender([{ name: 'f', arguments: { a: value } }]);
    expect(unwritable(`x${quote},`)).toBe(true);
    expect(unwritable(`x${quote}y`)).toBe(true);
    expect(unwritable('x"y"')).toBe(false);
    expect(parser.canRender([{ name: 'f{', arguments: {} }])).toBe(false);
    expect(
      parser.canRender([{ name: 'f', arguments: { a: '1' } }], { tools: toolOf({ a: { type: 'integer' } }) }),
    ).toBe(false);
  });
});
