import { describe, expect, test } from '@jest/globals';
import type { ParseOptions, ParseResult, StreamEvent } from '@talaria/tool-call-parsers';
import { foldEvents } from '@talaria/tool-call-parsers';
import { qwen3Coder } from '@talaria/tool-call-parsers/qwen3_coder';
import { qwen3Xml } from '@talaria/tool-call-parsers/qwen3_xml';
import { seedOss } from '@talaria/tool-call-parsers/seed_oss';
import { readEveryWay } from '../../test/read-every-way.ts';
import { runTool } from '../../test/run-tool.ts';

const tools = [runTool];

function parameter(key: string, value: string): string {
  return `<parameter=${key}>\n${value}\n</parameter>\n`;
}

function wrapped(name: string, body: string): string {
  return `<tool_call>\n<function=${name}>\n${body}</function>\n</tool_call>`;
}

function read(text: string, options: ParseOptions = { tools }): ParseResult {
  return readEveryWay(qwen3Coder, text, options);
}

function callsOf({ toolCalls }: ParseResult): readonly (readonly [string, unknown])[] {
  return toolCalls.map((call) => [call.name, JSON.parse(call.arguments)] as const);
}

describe('where a value ends', () => {
  test.each([
    ['at its end tag before another parameter', `${parameter('command', 'ls')}${parameter('note', 'n')}`, ['ls', 'n']],
    ['not at an end tag before words', parameter('command', 'a </parameter> b'), ['a </parameter> b']],
    ['not at the end of a function before words', parameter('command', 'a </function> b'), ['a </function> b']],
    ['not at the end of the wrapper', parameter('command', 'a\n</tool_call>\nb'), ['a\n</tool_call>\nb']],
    [
      'not at a start tag of the wrapper',
      parameter('command', '<tool_call>\n<function=x>'),
      ['<tool_call>\n<function=x>'],
    ],
    ['at the next parameter on a line of its own', `<parameter=command>\nls\n${parameter('note', 'n')}`, ['ls', 'n']],
    ['not at one that stands in a line', parameter('command', 'x <parameter=note>'), ['x <parameter=note>']],
    ['not at one that is not declared', parameter('command', '\n<parameter=other>'), ['\n<parameter=other>']],
    ['not at one that was there', parameter('command', 'a\n<parameter=command>\nb'), ['a\n<parameter=command>\nb']],
    ['not at one without an end', parameter('command', 'a\n<parameter=note\nb'), ['a\n<parameter=note\nb']],
    ['at the end of the function, if that of the parameter is missing', '<parameter=command>\nls\n', ['ls']],
    [
      'at the last of several end tags',
      parameter('command', 'a</parameter>\n</parameter>'),
      ['a</parameter>\n</parameter>'],
    ],
    ['an empty one at its end tag', '<parameter=command>\n</parameter>\n', ['']],
    ['an empty one at the next parameter', `<parameter=command>\n${parameter('note', 'n')}`, ['', 'n']],
  ])('%s', (_title, body, values) => {
    const [command, note] = values;
    expect(callsOf(read(wrapped('run', body)))).toEqual([
      ['run', note === undefined ? { command } : { command, note }],
    ]);
  });

  test('the end of the wrapper stands for that of the function', () => {
    const text = `<tool_call>\n<function=run>\n${parameter('command', 'ls')}</tool_call> Done.`;
    expect(callsOf(read(text))).toEqual([['run', { command: 'ls' }]]);
    expect(read(text).content).toBe('Done.');
  });

  test.each([
    ['the end of the wrapper', '</function>\n</tool_call>'],
    ['a start of it', '</function>\n<tool_call>'],
    ['another function', '</function>\n<function=x>'],
  ])('a missing end tag, then the end of the function and %s', (_title, end) => {
    expect(callsOf(read(`<function=run>\n<parameter=command>\nls ${end}`))).toEqual([['run', { command: 'ls ' }]]);
  });

  test('a missing end tag at the end of the text: only a line that ends the function is trusted', () => {
    expect(callsOf(read('<function=run>\n<parameter=command>\nls\n</function>'))).toEqual([['run', { command: 'ls' }]]);
    const cut = '<function=run>\n<parameter=command>\necho "</function>';
    expect(read(cut)).toMatchObject({ content: cut, toolCalls: [], errors: [{ kind: 'truncated' }] });
  });

  test('without a declaration, any new parameter on a line of its own ends it', () => {
    const text = wrapped('run', `<parameter=a>\nx\n${parameter('b', 'y')}`);
    expect(callsOf(read(text, {}))).toEqual([['run', { a: 'x', b: 'y' }]]);
  });
});

describe('values', () => {
  test.each([
    ['one line feed goes at each end', 'command', '\n\n a \n\n', '\n a \n'],
    ['a value without line feeds', 'command', 'a', 'a'],
    ['a single line feed is none', 'command', '\n', ''],
    ['two are none either', 'command', '\n\n', ''],
    ['a carriage return stays', 'command', '\n\r\na\r\n', '\r\na\r'],
    ['quotes, controls and back-slashes', 'command', '\n"\\n"\t\u0001\u2028é👋\n', '"\\n"\t\u0001\u2028é👋'],
    ['a declared string keeps null', 'command', '\nnull\n', 'null'],
    ['an integer', 'timeout', '\n 12 \n', 12],
    ['no integer', 'timeout', '\nsoon\n', 'soon'],
    ['a boolean', 'force', '\nTrue\n', true],
    ['an object', 'options', '\n{"a": [1]}\n', { a: [1] }],
    ['an object of Python', 'options', "\n{'a': None}\n", { a: null }],
    ['an object encoded twice', 'options', '\n"{\\"a\\": 1}"\n', { a: 1 }],
    ['an undeclared parameter', 'other', '\n[1]\n', [1]],
  ])('%s', (_title, key, raw, value) => {
    expect(callsOf(read(wrapped('run', `<parameter=${key}>${raw}</parameter>`)))).toEqual([['run', { [key]: value }]]);
  });

  test('the arguments are written in order, digits as they were', () => {
    const body = `${parameter('b', '12345678901234567890')}${parameter('2', '1.50')}${parameter('1', 'x')}`;
    expect(read(wrapped('run', body), {}).toolCalls[0]?.arguments).toBe(
      '{"b": 12345678901234567890, "2": 1.50, "1": "x"}',
    );
  });

  test('the last of a repeated parameter counts', () => {
    const body = `${parameter('command', 'a')}${parameter('command', 'b')}`;
    expect(callsOf(read(wrapped('run', body)))).toEqual([['run', { command: 'b' }]]);
  });

  test.each(['__proto__', 'two words', 'key"', 'Über', 'x.y[0]'])('a parameter may be called %j', (key) => {
    const [call] = read(wrapped('run', parameter(key, 'v'))).toolCalls;
    expect(call?.arguments).toBe(`{${JSON.stringify(key)}: "v"}`);
  });
});

describe('calls and text', () => {
  test('a wrapper may hold several functions, and a function none', () => {
    const ping = '<function=ping>\n</function>';
    const text = `One.\n<tool_call>\n${ping}\n${ping}</tool_call>\nTwo. ${ping} Three.`;
    const result = read(text);
    expect(callsOf(result)).toEqual([
      ['ping', {}],
      ['ping', {}],
      ['ping', {}],
    ]);
    expect(result.content).toBe('One.\nTwo.\nThree.');
  });

  test('white space around a name is none of it', () => {
    expect(callsOf(read('<function= fs.read\n>\n</function>'))).toEqual([['fs.read', {}]]);
  });

  test.each([
    ['a name with a space', '<function=a b></function>', 'bad-structure', 12, 'expected > at offset 12, found "b"'],
    ['no name', '<function=></function>', 'bad-name', 10, '"" is no name at offset 10'],
    ['a JSON body', '<function={"a": 1}', 'bad-name', 10, '"" is no name at offset 10'],
    [
      'words between parameters',
      '<function=a>\nwords',
      'bad-structure',
      13,
      'expected <parameter= or </function> at offset 13, found "w"',
    ],
    [
      'a key over two lines',
      '<function=a><parameter=b\nc>',
      'bad-structure',
      24,
      'expected > at offset 24, found "\\n"',
    ],
    ['a cut name', '<function=a', 'truncated', 11, 'the text ended, expected a name at offset 11'],
    [
      'a cut value',
      '<function=a><parameter=b>c</param',
      'truncated',
      33,
      'the text ended, expected </parameter> at offset 33',
    ],
    [
      'a cut end',
      '<function=a>\n</func',
      'truncated',
      19,
      'the text ended, expected <parameter= or </function> at offset 19',
    ],
    ['a cut key', '<function=a><parameter=b', 'truncated', 24, 'the text ended, expected > at offset 24'],
  ])('%s: no call, and all is content', (_title, text, kind, end, message) => {
    expect(read(text)).toEqual({
      content: text,
      toolCalls: [],
      errors: [{ kind, start: 0, end, message: `No tool call: ${message}` }],
    });
  });

  test('names of 256 characters are read, longer ones are not', () => {
    const text = (length: number): string => `<function=${'n'.repeat(length)}></function>`;
    expect(read(text(256)).toolCalls).toHaveLength(1);
    expect(read(text(257))).toMatchObject({ content: text(257), errors: [{ kind: 'bad-name' }] });
    expect(read(text(1000))).toMatchObject({ content: text(1000), errors: [{ kind: 'bad-name' }] });
    expect(read(wrapped('a', parameter('k'.repeat(600), 'v')))).toMatchObject({ errors: [{ kind: 'bad-name' }] });
  });

  test('a broken call costs no other, and the search goes on where it broke', () => {
    const good = wrapped('run', parameter('command', 'ls'));
    const broken = '<tool_call>\n<function=run>\noops';
    for (const text of [`${broken} ${good}`, `${good} ${broken}`, `<function=${good}`, `<function=run>${good}`]) {
      expect(callsOf(read(text))).toEqual([['run', { command: 'ls' }]]);
      expect(read(text).errors).toHaveLength(1);
    }
    expect(read(`${broken} ${good} end`).content).toBe(`${broken}\nend`);
  });

  test('a value longer than a call may be is told, and what follows is read', () => {
    const ping = '<function=ping></function>';
    const text = `<function=a><parameter=b>${'x'.repeat(16 * 1024 * 1024)}</parameter></function>${ping}`;
    const { toolCalls, errors, content } = qwen3Coder.parse(text);
    expect(toolCalls.map((call) => call.name)).toEqual(['ping']);
    expect(errors).toMatchObject([{ kind: 'limit', start: 0, end: 16 * 1024 * 1024 }]);
    expect(content?.length).toBe(text.length - ping.length);
  });
});

describe('eager mode', () => {
  function eager(pieces: readonly string[]): readonly StreamEvent[][] {
    const stream = qwen3Coder.stream({ tools, commit: 'eager', idFactory: () => 'id' });
    return [...pieces.map((piece) => [...stream.feed(piece)]), [...stream.finish()]];
  }

  test('the name comes once it is whole, strings flow, other values come when they are whole', () => {
    const pieces = [
      '<tool_call>\n<function=ru',
      'n',
      '>',
      '\n<parameter=command>',
      '\nls "',
      '-l"\n',
      '\n</parameter>',
    ];
    pieces.push('\n<parameter=timeout>\n1', '2\n</parameter>\n', '</function>');
    const delta = (text: string): StreamEvent => ({ type: 'call-arguments', index: 0, delta: text });
    expect(eager(pieces)).toEqual([
      [],
      [],
      [{ type: 'call-start', index: 0, id: 'id', name: 'run' }],
      [delta('{"command": "')],
      [delta('ls \\"')],
      [delta('-l\\"')],
      [delta('\\n')],
      [delta('", "timeout": ')],
      [],
      [delta('12}'), { type: 'call-end', index: 0, arguments: '{"command": "ls \\"-l\\"\\n", "timeout": 12}' }],
      [],
    ]);
  });

  test('a call that turns out none is taken back', () => {
    const events = eager(['<function=run>', '<parameter=timeout oops']);
    expect(events.flat().map((event) => event.type)).toEqual(['call-start', 'call-abort', 'error', 'content']);
    const cut = eager(['<function=run>\n<parameter=command>\nrm -rf build']);
    expect(cut.flat().map((event) => event.type)).toEqual([
      'call-start',
      'call-arguments',
      'call-abort',
      'error',
      'content',
    ]);
  });
});

describe('hostile text stays linear', () => {
  test.each([
    '<function=',
    '<function=a>',
    '</parameter>',
    '</function>',
    '\n<parameter=',
    '\n<parameter=k>',
    ' ',
    '\n',
  ])('%j over and over in a value, in pieces of any length', (unit) => {
    const text = `<function=run><parameter=command>${unit.repeat(3000)}`;
    for (const length of [1, 1000]) {
      const stream = qwen3Coder.stream({ tools, commit: 'eager' });
      const events: StreamEvent[] = [];
      for (let at = 0; at < text.length; at += length) events.push(...stream.feed(text.slice(at, at + length)));
      events.push(...stream.finish());
      expect(foldEvents(events)).toEqual(qwen3Coder.parse(text, { tools }));
    }
  });
});

describe('writing', () => {
  test('qwen3_coder and qwen3_xml', () => {
    const calls = [
      { name: 'run', arguments: { command: ' ls\n', timeout: 1, options: { a: ['é', null] } } },
      { name: 'ping', arguments: '{}' },
    ];
    const text =
      'Hm.\n<tool_call>\n<function=run>\n<parameter=command>\n ls\n\n</parameter>\n<parameter=timeout>\n1\n</parameter>\n' +
      '<parameter=options>\n{"a": ["é", null]}\n</parameter>\n</function>\n</tool_call>\n' +
      '<tool_call>\n<function=ping>\n</function>\n</tool_call>';
    expect(qwen3Coder.render(calls, { tools, content: 'Hm.' })).toBe(text);
    expect(qwen3Xml.render(calls, { tools, content: 'Hm.' })).toBe(text);
  });

  test('seed_oss writes line feeds around a value only where one is at its end', () => {
    const write = (command: string): string => seedOss.render([{ name: 'run', arguments: { command } }], { tools });
    expect(write('ls')).toBe(
      '<seed:tool_call>\n<function=run>\n<parameter=command>ls</parameter>\n</function>\n</seed:tool_call>',
    );
    for (const command of ['\nls', 'ls\n', '\n', '\n\n']) expect(write(command)).toContain(`>\n${command}\n<`);
  });

  test.each([
    ['the structural end in a value', { command: 'a</parameter>\n</function>' }],
    ['a parameter on a line of its own in a value', { command: 'a\n<parameter=note>' }],
    ['a key with a bracket', { 'a>b': '' }],
    ['a key with white space around it', { ' a': '' }],
    ['a number in place of a string', { command: 1 }],
    ['a string in place of a number', { timeout: '1' }],
  ])('refused: %s', (_title, value) => {
    expect(qwen3Coder.canRender([{ name: 'run', arguments: value }], { tools })).toBe(false);
  });
});

describe('seed_oss', () => {
  test.each([
    ['to the end of the block', '<seed:think><function=a></function></seed:think><function=b></function>', ['b']],
    ['to the end of the text without one', '<seed:think> hm <function=a></function>', []],
    ['and a close tag alone is text', '</seed:think><function=b></function>', ['b']],
  ])('thinking is text %s', (_title, text, names) => {
    expect(seedOss.parse(text).toolCalls.map((call) => call.name)).toEqual(names);
  });

  test('the tags of Qwen3 are text for it', () => {
    expect(seedOss.parse('<tool_call>\n<function=a>\n</function>\n</tool_call>').content).toBe(
      '<tool_call>\n</tool_call>',
    );
  });
});

test.each([
  ['calls as Hermes writes them', '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>', 'bad-structure', 12],
  ['a tag that is almost one', '<tool_call>\n<function search>', 'bad-structure', 12],
  ['nothing, since the text ends', 'I call.\n<tool_call>\n', 'truncated', 20],
])('a wrapper around %s is told', (_title, text, kind, end) => {
  const { content, toolCalls, errors } = qwen3Coder.parse(text);
  expect({ content, toolCalls }).toEqual({ content: text, toolCalls: [] });
  expect(errors).toMatchObject([{ kind, start: text.indexOf('<tool_call>'), end }]);
});
