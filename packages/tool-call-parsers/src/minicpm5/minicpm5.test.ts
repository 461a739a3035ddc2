import { describe, expect, test } from '@jest/globals';
import type { ParseErrorKind } from '@talaria/tool-call-parsers';
import { minicpm5 } from '@talaria/tool-call-parsers/minicpm5';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';
import { runTool } from '../../test/run-tool.ts';
import { maximumCallLength } from '../stream/call-limits.ts';

const tools = [runTool];

function param(value: string, key = 'command'): string {
  return `<param name="${key}">${value}</param>`;
}

function run(body: string): string {
  return `<function name="run">${body}</function>`;
}

function readValue(raw: string, key = 'command'): unknown {
  const { content, calls } = readCalls(minicpm5, run(param(raw, key)), { tools });
  expect({ content, names: calls.map(([name]) => name) }).toEqual({ content: null, names: ['run'] });
  return Object(calls[0]?.[1])[key];
}

describe('values', () => {
  test.each([
    ['white space at the ends is none of it', ' \n a\tb \r\n', 'a\tb'],
    ['blank', ' \n ', ''],
    ['empty', '', ''],
    ['the five entities', '&lt;a&gt; &amp;&amp; &quot;b&quot; &apos;c&apos;', `<a> && "b" 'c'`],
    ['numbers of characters', '&#65;&#x42;&#x1F44B;&#128075;&#0010;.', 'AB👋👋\n.'],
    ['white space by its number stays', '&#32;a&#10;', ' a\n'],
    ['an entity is decoded once', '&amp;lt;&amp;#65;', '&lt;&#65;'],
    [
      'what is no entity stays',
      '&nbsp; &; & && a&b &#; &#x; &#xZ; &#1114112; &amp',
      '&nbsp; &; & && a&b &#; &#x; &#xZ; &#1114112; &amp',
    ],
    ['entities are spelled small', '&LT;&Amp;', '&LT;&Amp;'],
    ['an entity behind what may become one', '&a&lt;&&gt;', '&a<&>'],
    ['CDATA as it stands', '<![CDATA[ a < b &amp; c ]]>', ' a < b &amp; c '],
    ['CDATA among text', ' a <![CDATA[<]]> b<![CDATA[ ]]>', 'a < b '],
    ['empty CDATA', '<![CDATA[]]>', ''],
    ['white space around CDATA', '\n<![CDATA[\n]]>\n', '\n'],
    ['the end of CDATA in two of them', '<![CDATA[a]]]]><![CDATA[>b]]>', 'a]]>b'],
    ['brackets at the end of CDATA', '<![CDATA[a]]]]]>', 'a]]]'],
    ['the end of CDATA without its beginning', 'a]]>b', 'a]]>b'],
    ['a beginning of CDATA in CDATA', '<![CDATA[<![CDATA[]]>', '<![CDATA['],
    ['end tags in CDATA', '<![CDATA[</param></function>]]>', '</param></function>'],
    ['almost CDATA', '<![CDAT[a]]>', '<![CDAT[a]]>'],
    ['an end tag before words', 'a </param> b', 'a </param> b'],
    ['an end tag before its own', '</param>', '</param>'],
    ['an end tag of the call before words', 'a </function> b', 'a </function> b'],
    ['other tags', '<b>x</b> <function name="f"> <param name="a">', '<b>x</b> <function name="f"> <param name="a">'],
    ['controls and pairs', '\u0001\\n\u2028👋', '\u0001\\n\u2028👋'],
    ['null', 'null', 'null'],
  ])('a string: %s', (_title, raw, value) => {
    expect(readValue(raw)).toBe(value);
  });

  test.each([
    ['an integer', 'timeout', ' 12\n', 12],
    ['no integer', 'timeout', 'soon', 'soon'],
    ['an object with entities', 'options', '{&quot;a&quot;: &quot;&lt;&quot;}', { a: '<' }],
    ['an object in CDATA', 'options', '<![CDATA[{"a": "</param>"}]]>', { a: '</param>' }],
    ['an object of Python', 'options', "{'a': None}", { a: null }],
    ['undeclared: JSON', 'other', ' [1, 2] ', [1, 2]],
    ['undeclared: a word of Python', 'other', 'True', true],
    ['undeclared: text', 'other', ' a &amp; b ', 'a & b'],
  ])('%s', (_title, key, raw, value) => {
    expect(readValue(raw, key)).toEqual(value);
  });
});

describe('calls', () => {
  test.each([
    [
      'white space between tags',
      `<function name="run">\n${param('a')}\n ${param('b', 'note')}\n</function>`,
      { command: 'a', note: 'b' },
    ],
    [
      'single quotes and white space in tags',
      `<function  name = 'run' ><param\n</function>`.replace('<param\n', "<param  name='command'>a</param>"),
      { command: 'a' },
    ],
    ['no parameters', run(' \n'), {}],
    ['entities in a key', run(param('a', 'x&amp;&quot;&#65;')), { 'x&"A': 'a' }],
    ['a repeated parameter: the last counts', run(param('a') + param('b')), { command: 'b' }],
  ])('%s', (_title, text, value) => {
    expect(readCalls(minicpm5, text, { tools })).toEqual({ content: null, calls: [['run', value]] });
  });

  test('text before, between and behind them is content', () => {
    const text = ` One. ${run('')}\n${run(param('a'))} Two. ${run('')} Three.\n`;
    expect(readCalls(minicpm5, text)).toMatchObject({ content: ' One.\nTwo.\nThree.', calls: { length: 3 } });
  });

  test('upstream renames some tools: here a name is what the model wrote', () => {
    const text = '<function name="str_replace_editor"></function><function name=" search "></function>';
    expect(readCalls(minicpm5, text).calls.map(([name]) => name)).toEqual(['str_replace_editor', 'search']);
  });
});

describe('what is no call', () => {
  test.each<readonly [title: string, text: string, kind: ParseErrorKind, end: number]>([
    ['a name with a blank', '<function name="a b">x', 'bad-name', 21],
    ['no name', '<function id="1">x', 'bad-name', 17],
    ['no attribute', '<function name>x', 'bad-structure', 14],
    ['a parameter without a name', '<function name="f"><param id="1">x', 'bad-name', 33],
    ['text between parameters', '<function name="f">x</function>', 'bad-structure', 19],
    ['CDATA without end', '<function name="f"><param name="a"><![CDATA[</param></function>', 'truncated', 63],
    ['no end tag of a parameter', '<function name="f"><param name="a">x</function>', 'truncated', 47],
    ['no end of the call', '<function name="f"><param name="a">x</param>', 'truncated', 44],
  ])('%s', (_title, text, kind, end) => {
    expect(readEveryWay(minicpm5, text)).toMatchObject({
      content: text,
      toolCalls: [],
      errors: [{ kind, start: 0, end }],
    });
  });

  test.each(['<function>', '<function=f>', '<functions name="f">', '<Function name="f"></Function>'])(
    '%s is not even a fault',
    (text) => {
      expect(readEveryWay(minicpm5, text)).toEqual({ content: text, toolCalls: [], errors: [] });
    },
  );

  test('a bad call before a good one', () => {
    const text = `<function name="a b"></function> ${run(param('ls'))}`;
    expect(readCalls(minicpm5, text)).toEqual({
      content: '<function name="a b"></function>',
      calls: [['run', { command: 'ls' }]],
    });
  });

  test('a cut anywhere', () => {
    const text = run(param('a &amp; <![CDATA[b]]> c') + param('5', 'timeout'));
    for (let length = '<function '.length; length < text.length; length += 1) {
      const cut = text.slice(0, length);
      expect(readEveryWay(minicpm5, cut)).toMatchObject({
        content: cut,
        toolCalls: [],
        errors: [{ kind: 'truncated', end: length }],
      });
    }
  });

  test('a call that is too long, as text or as white space', () => {
    for (const long of [
      'x'.repeat(maximumCallLength),
      `x${' '.repeat(maximumCallLength)}`,
      `<![CDATA[${'x'.repeat(maximumCallLength)}]]>`,
    ]) {
      const text = run(param(long));
      const { content, errors } = minicpm5.parse(text);
      expect(errors).toMatchObject([{ kind: 'limit' }]);
      expect(content).toHaveLength(text.length);
    }
  });
});

describe('as it comes', () => {
  const flows = (...pieces: readonly string[]): readonly string[] => {
    const stream = minicpm5.stream({ commit: 'eager', tools });
    stream.feed('<function name="run"><param name="command">');
    return pieces.map((piece) =>
      stream
        .feed(piece)
        .map((event) => (event.type === 'call-arguments' ? event.delta : event.type))
        .join(),
    );
  };

  test.each([
    ['a long string flows', ['some', ' more', ' words'], ['some', ' more', ' words']],
    ['white space at the beginning is skipped', [' ', '\n', ' a'], ['', '', 'a']],
    ['white space waits for words', ['a ', '\n', ' ', 'b'], ['a', '', '', ' \\n b']],
    ['an entity waits', ['a&', 'lt', '; and what follows'], ['a', '', '< and what follows']],
    ['what is no entity comes soon', ['a&', 'bcdefghijk'], ['a', '&bcdefghijk']],
    ['an end tag waits', ['a</param', '> ', 'b'], ['a', '', '</param> b']],
    [
      'CDATA flows, white space and all',
      ['<![CDATA', '[a ', '&amp;', ' ]]', '> ', 'b'],
      ['', 'a ', '&amp;', ' ', '', ' b'],
    ],
  ])('%s', (_title, pieces, deltas) => {
    expect(flows(...pieces)).toEqual(deltas);
  });

  test('a cut call is withdrawn', () => {
    const events = eagerEvents(minicpm5, '<function name="run"><param name="command">ls', { tools });
    expect(events.map((event) => event.type).slice(-3)).toEqual(['call-abort', 'error', 'content']);
  });
});

describe('written', () => {
  test.each([
    ['plain text as it is', { command: 'a > b\n"c" \'d\'' }, 'a > b\n"c" \'d\''],
    ['markup in CDATA', { command: 'a < b && c' }, '<![CDATA[a < b && c]]>'],
    ['the end of CDATA', { command: '<]]>' }, '<![CDATA[<]]]]><![CDATA[>]]>'],
    ['white space at the ends', { command: ' a\n' }, '<![CDATA[ a\n]]>'],
    ['end tags', { command: '</param></function>' }, '<![CDATA[</param></function>]]>'],
    ['markup in JSON', { options: { a: '<b>' } }, '<![CDATA[{"a": "<b>"}]]>'],
    ['other values', { timeout: 5 }, '5'],
  ])('%s', (_title, value, written) => {
    const text = minicpm5.render([{ name: 'run', arguments: value }], { tools, content: 'Well.' });
    expect(text).toBe(
      `Well.\n<function name="run"><param name="${Object.keys(value)[0]}">${written}</param></function>`,
    );
    expect(readCalls(minicpm5, text, { tools })).toEqual({ content: 'Well.', calls: [['run', value]] });
  });

  test('any key', () => {
    const value = { [`a"b'c<&d>&amp;`]: 1, ' ': 2 };
    const text = minicpm5.render([{ name: 'f', arguments: value }]);
    expect(readCalls(minicpm5, text).calls).toEqual([['f', value]]);
  });

  test.each([
    ['a name with a blank', { name: 'a b', arguments: {} }],
    ['an endless key', { name: 'f', arguments: { ['&'.repeat(200)]: 1 } }],
  ])('refused: %s', (_title, call) => {
    expect(minicpm5.canRender([call])).toBe(false);
  });
});
