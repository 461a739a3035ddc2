import { describe, expect, test } from '@jest/globals';
import type { ParseErrorKind, ToolSchema } from '@talaria/tool-call-parsers';
import { minimaxM3 } from '@talaria/tool-call-parsers/minimax_m3';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';
import { maximumCallLength } from '../stream/call-limits.ts';

const marker = ']<]minimax[>[';
const numbers = { type: 'array', items: { type: 'integer' } };
const tools: readonly ToolSchema[] = [
  {
    type: 'function',
    function: {
      name: 'run',
      parameters: {
        type: 'object',
        properties: {
          command: { type: 'string' },
          timeout: { type: 'integer' },
          names: { type: 'array', items: { type: 'string' } },
          numbers,
          options: {
            type: 'object',
            properties: {
              code: { type: 'string' },
              count: { type: 'integer' },
              deep: { type: 'object', properties: { numbers } },
            },
          },
          record: { type: 'object', properties: { item: { type: 'string' } } },
          table: { type: 'object', additionalProperties: { type: 'string' } },
          either: { type: ['object', 'array'] },
        },
      },
    },
  },
];

/** Puts the marker before each tag in a text that has bare ones. */
function mark(text: string): string {
  return text.replaceAll('<', `${marker}<`);
}

function run(body: string): string {
  return mark(`<tool_call>\n<invoke name="run">${body}</invoke>\n</tool_call>`);
}

function argumentsOf(body: string): unknown {
  const { content, calls } = readCalls(minimaxM3, run(body), { tools });
  expect({ content, names: calls.map(([name]) => name) }).toEqual({ content: null, names: ['run'] });
  return calls[0]?.[1];
}

describe('elements', () => {
  test.each([
    ['text', '<command>ls</command>', { command: 'ls' }],
    ['text as it stands', '<command>\n a \n</command>', { command: '\n a \n' }],
    ['blank text', '<command> \n</command>', { command: ' \n' }],
    ['no text', '<command></command>', { command: '' }],
    ['a declared string keeps digits and null', '<command>007</command>', { command: '007' }],
    ['an integer', '<timeout> 12\n</timeout>', { timeout: 12 }],
    ['no parameters', ' \n', {}],
    ['white space between tags', '\n<command>a</command>\n\n<timeout>1</timeout> ', { command: 'a', timeout: 1 }],
    ['items: an array', '<numbers><item>1</item><item>2</item></numbers>', { numbers: [1, 2] }],
    ['one item: an array', '<names><item>1</item></names>', { names: ['1'] }],
    ['white space around items', '<numbers>\n<item>1</item>\n <item>2</item>\n</numbers>', { numbers: [1, 2] }],
    [
      'members: an object',
      '<options><code>1</code><count>2</count><x>3</x></options>',
      { options: { code: '1', count: 2, x: 3 } },
    ],
    ['members and items: an object', '<either><a>1</a><item>2</item></either>', { either: { a: 1, item: 2 } }],
    [
      'a member named item where only an object is declared',
      '<record><item>1</item></record>',
      { record: { item: '1' } },
    ],
    ['such a member among others', '<table><item>1</item></table>', { table: { item: '1' } }],
    ['items where both are declared', '<either><item>1</item></either>', { either: [1] }],
    ['items of which nothing is declared', '<other><item>a</item><item>None</item></other>', { other: ['a', null] }],
    [
      'declared all the way down',
      '<options><deep><numbers><item>4</item></numbers></deep></options>',
      { options: { deep: { numbers: [4] } } },
    ],
    [
      'arrays in arrays',
      '<a><item><item>1</item></item><item><item>2</item><item>b</item></item></a>',
      { a: [[1], [2, 'b']] },
    ],
    ['objects in arrays', '<a><item><b>1</b></item><item><b>x</b></item></a>', { a: [{ b: 1 }, { b: 'x' }] }],
    ['an element within one of its own name', '<a><a>1</a></a>', { a: { a: 1 } }],
    ['an empty element in another', '<a><b></b></a>', { a: { b: '' } }],
    ['JSON as text', '<options>{"count": 1}</options>', { options: { count: 1 } }],
    ['JSON as an item', '<a><item>[1, 2]</item></a>', { a: [[1, 2]] }],
    ['an object of Python', "<options>{'a': True}</options>", { options: { a: true } }],
    ['a repeated member: the last counts', '<options><x>1</x><x>2</x></options>', { options: { x: 2 } }],
    ['a repeated parameter: the last counts', '<command>a</command><command>b</command>', { command: 'b' }],
    [
      'a parameter named like a tag of the format',
      '<invoke>a</invoke><tool_call>b</tool_call>',
      { invoke: 'a', tool_call: 'b' },
    ],
    ['names of all kinds', '<a-b.c:d/é>1</a-b.c:d/é><two words>2</two words>', { 'a-b.c:d/é': 1, 'two words': 2 }],
    [
      'a name that objects have',
      '<__proto__>1</__proto__><a><constructor>2</constructor></a>',
      { ['__proto__']: 1, a: { constructor: 2 } },
    ],
  ])('%s', (_title, body, value) => {
    expect(argumentsOf(body)).toEqual(value);
  });

  test('words and numbers of which nothing is declared are what JSON and Python say', () => {
    const words = [
      'true',
      'false',
      'null',
      'True',
      'False',
      'None',
      'TRUE',
      'nil',
      'trueish',
      'one',
      'n',
      ' true ',
      'true\n',
      '-0',
      '01',
      '1.',
      '1.0',
      '-2.50',
      '1e3',
      '+1',
      '"a"',
      '-',
    ];
    const items = words.map((word) => `<item>${word}</item>`).join('');
    const call = minimaxM3.parse(run(`<a>${items}</a>`)).toolCalls[0];
    const json = [
      'true',
      'false',
      'null',
      'true',
      'false',
      'null',
      '"TRUE"',
      '"nil"',
      '"trueish"',
      '"one"',
      '"n"',
      'true',
      'true',
      '-0',
      '"01"',
      '"1."',
      '1.0',
      '-2.50',
      '1e3',
      '"+1"',
      '"a"',
      '"-"',
    ];
    expect(call?.arguments).toBe(`{"a": [${json.join(', ')}]}`);
  });

  test('arguments are written in order, and digits stay', () => {
    const call = readEveryWay(minimaxM3, run('<b>12345678901234567890</b><a><x>1.50</x><1>2</1></a>')).toolCalls[0];
    expect(call?.arguments).toBe('{"b": 12345678901234567890, "a": {"x": 1.50, "1": 2}}');
  });
});

describe('markers', () => {
  test.each([
    ['tags without one are text', 'a </command> <b>x</b> </invoke>'],
    ['one before words is text', `a ${marker} b`],
    ['one before another tag is text, once there was text', `a ${marker}<b>${marker}</b>`],
    ['one before the end tag of something else', `${marker}</b>`],
    ['one before its end tag, which words follow', `a ${marker}</command> b`],
    ['the beginning of one', `a ]<]mini ${marker.slice(0, -1)}`],
    ['brackets', 'a[0][1]]<]'],
    ['a half of one', `${marker.slice(0, 5)}${marker}`],
  ])('in a value: %s', (_title, command) => {
    const text = `${marker}<invoke name="run">${marker}<command>${command}${marker}</command>${marker}</invoke>`;
    expect(readCalls(minimaxM3, text, { tools }).calls).toEqual([['run', { command }]]);
  });

  test('white space may follow each', () => {
    const text = run('<names><item>a</item></names><command> b</command>').replaceAll(marker, `${marker} \n`);
    expect(readCalls(minimaxM3, text, { tools }).calls).toEqual([['run', { names: ['a'], command: ' b' }]]);
  });

  test.each([
    marker,
    `${marker} is the marker`,
    `${marker}<b>x${marker}</b>`,
    mark('</tool_call>'),
    `Text ${marker}`,
    mark('</invoke>'),
  ])('%j is text, and no fault', (text) => {
    expect(readEveryWay(minimaxM3, text)).toEqual({ content: text, toolCalls: [], errors: [] });
  });
});

describe('calls', () => {
  test.each([
    ['without the tags around', mark('<invoke name="run"></invoke>')],
    ['without the end tag around', mark('<tool_call><invoke name="run"></invoke>')],
    [
      'with the tags around twice',
      mark('<tool_call>\n<tool_call><invoke name="run"></invoke></tool_call> </tool_call>'),
    ],
    ['with single quotes', mark("<tool_call><invoke  name = 'run' ></invoke></tool_call>")],
    ['before an end-of-turn token', `${run('')}</s>\n`],
  ])('%s', (_title, text) => {
    expect(readCalls(minimaxM3, text)).toEqual({ content: null, calls: [['run', {}]] });
  });

  test('several, and text around', () => {
    const text = ` One.\n${mark('<tool_call>\n<invoke name="a"><x>1</x></invoke>\n<invoke name="b"></invoke></tool_call>')}\nTwo. ${run('')} Three. `;
    expect(readCalls(minimaxM3, text)).toEqual({
      content: ' One.\nTwo.\nThree.',
      calls: [
        ['a', { x: 1 }],
        ['b', {}],
        ['run', {}],
      ],
    });
  });
});

describe('what is no call', () => {
  test.each<readonly [title: string, bare: string, kind: ParseErrorKind, message: RegExp, rest: string]>([
    ['a section without a call', '<tool_call> words', 'bad-structure', /expected .*<invoke.*found "w"/, 'words'],
    ['a section that is cut', '<tool_call>\n', 'truncated', /<invoke/, ''],
    ['another tag in a section', '<tool_call><b>', 'bad-structure', /<invoke/, '<b>'],
    ['a name with a blank', '<invoke name="a b"></invoke>', 'bad-name', /"a b" is no name/, `${marker}</invoke>`],
    ['no name', '<invoke></invoke>', 'bad-name', /"" is no name/, `${marker}</invoke>`],
    ['text between parameters', '<invoke name="f">x</invoke>', 'bad-structure', /found "x"/, `x${marker}</invoke>`],
    [
      'another end tag',
      '<invoke name="f"></tool_call>',
      'bad-structure',
      /expected .*<\/invoke>/,
      `${marker}</tool_call>`,
    ],
    [
      'another end tag behind white space',
      '<invoke name="f"><a>1</a> \n</tool_call>',
      'bad-structure',
      /expected .*<\/invoke>/,
      `${marker}</tool_call>`,
    ],
    ['text between elements', '<invoke name="f"><a><b>1</b>x</a></invoke>', 'truncated', /<\/b>/, ''],
    [
      'text behind an element of elements',
      '<invoke name="f"><a><b><c>1</c></b>x</a></invoke>',
      'bad-structure',
      /found "x"/,
      `x${marker}</a>${marker}</invoke>`,
    ],
    [
      'an end tag of another element',
      '<invoke name="f"><a><b>1</b></c></invoke>',
      'bad-structure',
      /expected .*<\/a>/,
      `${marker}</c>${marker}</invoke>`,
    ],
    ['a name that is too long', `<invoke name="f"><${'x'.repeat(600)}>`, 'bad-name', /too long/, `${'x'.repeat(87)}>`],
    ['a tag that does not close', '<invoke name="f"><a <b>', 'bad-structure', /expected >/, '<b>'],
    ['an element without end', '<invoke name="f"><a>x', 'truncated', /<\/a>/, ''],
    ['no end of the call', '<invoke name="f"><a>x</a>', 'truncated', /<\/a>/, ''],
  ])('%s', (_title, bare, kind, message, rest) => {
    // A bare bracket that begins no tag is left as it is.
    const text = mark(bare).replace(`<a ${marker}<b>`, '<a <b>');
    const { content, toolCalls, errors } = readEveryWay(minimaxM3, text);
    expect({ content, toolCalls }).toEqual({ content: text, toolCalls: [] });
    expect(errors).toEqual([expect.objectContaining({ kind, start: 0, message: expect.stringMatching(message) })]);
    expect(text.slice(errors[0]?.end)).toBe(rest);
  });

  test('a bad call before a good one', () => {
    const bad = mark('<invoke name="f"></b>');
    const text = `${mark('<tool_call>')}${bad}${mark('<invoke name="run"></invoke></tool_call>')}`;
    expect(readCalls(minimaxM3, text)).toEqual({ content: mark('<tool_call>') + bad, calls: [['run', {}]] });
  });

  test('a cut anywhere', () => {
    const text = run('<command>ls</command><names><item>a</item></names>');
    const end = text.indexOf('</invoke>') + '</invoke>'.length;
    for (let length = text.indexOf('<invoke') + 7; length < end; length += 1) {
      const cut = text.slice(0, length);
      expect(readEveryWay(minimaxM3, cut)).toMatchObject({
        content: cut,
        toolCalls: [],
        errors: [{ kind: 'truncated', end: length }],
      });
    }
  });

  test('elements may be nested 512 deep, and no deeper', () => {
    const nested = (depth: number): string => run(`${'<a>'.repeat(depth)}1${'</a>'.repeat(depth)}`);
    expect(minimaxM3.parse(nested(512)).toolCalls).toHaveLength(1);
    for (const depth of [513, 100_000]) {
      const text = nested(depth);
      const { content, toolCalls, errors } = minimaxM3.parse(text);
      expect({ length: content?.length, toolCalls }).toEqual({ length: text.length, toolCalls: [] });
      expect(errors).toMatchObject([{ kind: 'limit', message: expect.stringContaining('nested too deeply') }]);
    }
    expect(readEveryWay(minimaxM3, nested(513)).errors).toHaveLength(1);
  });

  test('a call that is too long, in one value or in an item', () => {
    const long = 'x'.repeat(maximumCallLength);
    for (const body of [`<command>${long}</command>`, `<names><item>${long}</item></names>`]) {
      const { content, errors } = minimaxM3.parse(run(body));
      expect(errors).toMatchObject([{ kind: 'limit', message: expect.stringContaining('the call is too long') }]);
      expect(content).toHaveLength(run(body).length);
    }
  });
});

describe('as it comes', () => {
  test('a string of a parameter flows once it is certain that it is text', () => {
    const stream = minimaxM3.stream({ commit: 'eager', tools });
    const deltas = (piece: string): string =>
      stream
        .feed(piece)
        .map((event) => (event.type === 'call-arguments' ? event.delta : event.type))
        .join();
    expect(deltas(mark('<tool_call><invoke name="run"><command>'))).toBe('call-start');
    expect(deltas(' ')).toBe('');
    expect(deltas('\n')).toBe('');
    expect(deltas('a')).toBe('{"command": " \\na');
    expect(deltas(' few words')).toBe(' few words');
    expect(deltas(` ${marker}</comm`)).toBe(' ');
    expect(deltas('and> ')).toBe('');
    expect(deltas('more')).toBe(`${marker}</command> more`);
  });

  test('values with elements, and all that are no strings, come when they are complete', () => {
    const deltas = eagerEvents(minimaxM3, run('<names><item>a</item><item>b</item></names><timeout>12</timeout>'), {
      tools,
    }).flatMap((event) => (event.type === 'call-arguments' ? [event.delta] : []));
    expect(deltas.join('')).toBe('{"names": ["a", "b"], "timeout": 12}');
    expect(deltas).toContain('{"names": ["a", "b"]');
  });

  test('the name comes once, and a broken call is withdrawn', () => {
    const events = eagerEvents(minimaxM3, run('<names><item>a</item>x</names>'), { tools });
    expect(events.map((event) => event.type).filter((type) => type !== 'content')).toEqual([
      'call-start',
      'call-abort',
      'error',
    ]);
  });
});

describe('written', () => {
  test.each<readonly [title: string, value: Readonly<Record<string, unknown>>, written: string]>([
    ['a string', { command: 'ls <b>' }, '<command>ls <b></command>'],
    ['an array', { names: ['1', 'b'] }, '<names><item>1</item><item>b</item></names>'],
    [
      'an object',
      { options: { code: '1', x: [true, null] } },
      '<options><code>1</code><x><item>true</item><item>null</item></x></options>',
    ],
    ['a member named item', { record: { item: 'a' } }, '<record><item>a</item></record>'],
    [
      'objects in an array',
      { either: [{ a: 1 }, { b: [2] }] },
      '<either><item><a>1</a></item><item><b><item>2</item></b></item></either>',
    ],
    ['an empty array', { names: [] }, '<names>[]</names>'],
    ['an empty object in another', { options: { x: {} } }, '<options><x>{}</x></options>'],
    ['what elements would say otherwise: a string that looks like a number', { other: ['1'] }, '<other>["1"]</other>'],
    ['an object with an item, of which nothing is declared', { other: { item: 1 } }, '<other>{"item": 1}</other>'],
    ['a key that is no name of an element', { other: { 'a b': 1 } }, '<other>{"a b": 1}</other>'],
    ['an empty key', { other: { '': 1 } }, '<other>{"": 1}</other>'],
  ])('%s', (_title, value, written) => {
    const text = minimaxM3.render([{ name: 'run', arguments: value }], { tools, content: 'Well.' });
    expect(text).toBe(`Well.\n${run(written.replace('ls <b>', 'ls &')).replace('ls &', 'ls <b>')}`);
    expect(readCalls(minimaxM3, text, { tools })).toEqual({ content: 'Well.', calls: [['run', value]] });
  });

  test('arguments that are text keep their digits', () => {
    const text = minimaxM3.render([{ name: 'f', arguments: '{"a": [12345678901234567890, 1.50]}' }]);
    expect(text).toContain(mark('<item>12345678901234567890</item><item>1.50</item>'));
  });

  test('several calls stand in one section', () => {
    const calls = [1, 2].map((number) => ({ name: `f${number}`, arguments: {} }));
    expect(minimaxM3.render(calls)).toBe(
      mark('<tool_call>\n<invoke name="f1"></invoke>\n<invoke name="f2"></invoke>\n</tool_call>'),
    );
  });

  test.each<readonly [title: string, name: string, value: Readonly<Record<string, unknown>>]>([
    ['a value that holds its end', 'run', { command: `${marker}</command>${marker}<b>` }],
    ['a value that begins like an element', 'run', { command: `${marker}<b>` }],
    ['a key with a bracket', 'run', { 'a<b': 1 }],
    ['a name with a quote', 'a"b', {}],
  ])('refused: %s', (_title, name, value) => {
    expect(minimaxM3.canRender([{ name, arguments: value }], { tools })).toBe(false);
  });
});
