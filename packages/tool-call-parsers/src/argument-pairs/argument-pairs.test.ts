import { describe, expect, test } from '@jest/globals';
import type { ParseOptions, ParseResult, StreamEvent } from '@talaria/tool-call-parsers';
import { foldEvents } from '@talaria/tool-call-parsers';
import { glm45 } from '@talaria/tool-call-parsers/glm45';
import { glm47 } from '@talaria/tool-call-parsers/glm47';
import { hyV3 } from '@talaria/tool-call-parsers/hy_v3';
import { readEveryWay } from '../../test/read-every-way.ts';
import { runTool } from '../../test/run-tool.ts';

const tools = [runTool];

function pair(key: string, value: string): string {
  return `<arg_key>${key}</arg_key><arg_value>${value}</arg_value>`;
}

function read(text: string, options: ParseOptions = { tools }, parser = glm47): ParseResult {
  return readEveryWay(parser, text, options);
}

function callsOf({ toolCalls }: ParseResult): readonly (readonly [string, unknown])[] {
  return toolCalls.map((call) => [call.name, JSON.parse(call.arguments)] as const);
}

describe('layouts', () => {
  test.each([
    ['on one line', `<tool_call>run${pair('command', 'ls')}</tool_call>`],
    ['one part a line', '<tool_call>run\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>'],
    [
      'line feeds in letters',
      String.raw`<tool_call>run\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>`,
    ],
    ['both kinds of gaps', `<tool_call>\\n run \n\\n\n\\n${pair('command', 'ls')}\\n \\n</tool_call>`],
    ['white space around name and key', `<tool_call>\n\trun ${pair('\n command ', 'ls')} </tool_call>`],
  ])('%s', (_title, text) => {
    for (const parser of [glm45, glm47]) {
      expect(callsOf(read(text, { tools }, parser))).toEqual([['run', { command: 'ls' }]]);
    }
  });

  test('text around calls is content', () => {
    const result = read('One. <tool_call>ping</tool_call>\nTwo.\n<tool_call>ping\n</tool_call>\\n');
    expect(callsOf(result)).toEqual([
      ['ping', {}],
      ['ping', {}],
    ]);
    expect(result.content).toBe('One.\nTwo.\n\\n');
  });

  test('a name may hold a back-slash, but for the letters of a line feed at its end', () => {
    expect(callsOf(read(String.raw`<tool_call>a\b\n\n</tool_call>`))).toEqual([['a\\b', {}]]);
  });
});

describe('values', () => {
  test.each([
    ['a string as it is', 'command', ' "a"\n', ' "a"\n'],
    ['its own end tag', 'command', 'a</arg_value>b', 'a</arg_value>b'],
    ['its own end tag before another value', 'command', 'a</arg_value><arg_value>b', 'a</arg_value><arg_value>b'],
    ['its own end tag and gaps', 'command', 'a</arg_value>\n\\n b', 'a</arg_value>\n\\n b'],
    ['the end of a call', 'command', 'a</tool_call>b', 'a</tool_call>b'],
    ['another call', 'command', '<tool_call>x</tool_call>', '<tool_call>x</tool_call>'],
    ['nothing', 'command', '', ''],
    ['an integer', 'timeout', ' +07 ', 7],
    ['null where it may be', 'hint', 'None', null],
    ['a string where it may be null', 'hint', ' none?', ' none?'],
    ['an undeclared one', 'other', '{"a": 1}', { a: 1 }],
  ])('%s', (_title, key, raw, value) => {
    expect(callsOf(read(`<tool_call>run${pair(key, raw)}</tool_call>`))).toEqual([['run', { [key]: value }]]);
  });

  test('the last of a repeated key counts', () => {
    const text = `<tool_call>run${pair('timeout', '1')}${pair('timeout', '2')}</tool_call>`;
    expect(callsOf(read(text))).toEqual([['run', { timeout: 2 }]]);
  });

  test.each(['__proto__', 'two words', 'key"', 'a<b>', ''])('a key may be %j', (key) => {
    expect(read(`<tool_call>run${pair(key, 'v')}</tool_call>`).toolCalls[0]?.arguments).toBe(
      `{${JSON.stringify(key)}: "v"}`,
    );
  });
});

describe('what is no call', () => {
  test.each([
    ['a JSON body', '<tool_call>{"name": "a"}</tool_call>', 'bad-name', 11, '"" is no name at offset 11'],
    ['no name', '<tool_call></tool_call>', 'bad-name', 11, '"" is no name at offset 11'],
    [
      'a name of two words',
      '<tool_call>a b</tool_call>',
      'bad-structure',
      13,
      'expected <arg_key> or </tool_call> at offset 13, found "b"',
    ],
    [
      'words between parts',
      `<tool_call>a${pair('b', 'c')} d`,
      'truncated',
      58,
      'the text ended, expected </arg_value> at offset 58',
    ],
    [
      'a key without a value',
      '<tool_call>a<arg_key>b</arg_key></tool_call>',
      'bad-structure',
      32,
      'expected <arg_value> at offset 32, found "<"',
    ],
    [
      'a value without a key',
      '<tool_call>a<arg_value>b</arg_value></tool_call>',
      'bad-structure',
      12,
      'expected <arg_key> or </tool_call> at offset 12, found "<"',
    ],
    [
      'a separator',
      '<tool_call>a<tool_sep></tool_call>',
      'bad-structure',
      12,
      'expected <arg_key> or </tool_call> at offset 12, found "<"',
    ],
    ['a cut name', '<tool_call>a', 'truncated', 12, 'the text ended, expected a name at offset 12'],
    ['a cut key', '<tool_call>a<arg_key>b</arg', 'truncated', 27, 'the text ended, expected </arg_key> at offset 27'],
    [
      'a cut value',
      '<tool_call>a<arg_key>b</arg_key><arg_value>rm -rf /',
      'truncated',
      51,
      'the text ended, expected </arg_value> at offset 51',
    ],
    [
      'a cut end',
      `<tool_call>a${pair('b', 'c')}</tool_ca`,
      'truncated',
      65,
      'the text ended, expected </arg_value> at offset 65',
    ],
  ])('%s: all is content', (_title, text, kind, end, message) => {
    expect(read(text)).toEqual({
      content: text,
      toolCalls: [],
      errors: [{ kind, start: 0, end, message: `No tool call: ${message}` }],
    });
  });

  test('a key longer than 512 characters is refused', () => {
    const text = `<tool_call>a${pair('k'.repeat(513), 'v')}</tool_call>`;
    expect(read(text)).toMatchObject({ content: text, errors: [{ kind: 'bad-name', end: 21 + 513 }] });
  });

  test('a broken call costs no other, and the search goes on where it broke', () => {
    const good = `<tool_call>run${pair('command', 'ls')}</tool_call>`;
    for (const broken of [
      '<tool_call>',
      '<tool_call>a',
      '<tool_call>a b ',
      '<tool_call>a<arg_key>b</arg_key>',
      '<tool_call>{}',
    ]) {
      expect(callsOf(read(`${broken}${good}`))).toEqual([['run', { command: 'ls' }]]);
      expect(read(`${broken}${good}`).content).toBe(broken.trimEnd());
    }
  });
});

describe('eager mode', () => {
  test('a name comes when a part follows it, strings flow, other values come when they are whole', () => {
    const stream = glm47.stream({ tools, commit: 'eager', idFactory: () => 'id' });
    const delta = (text: string): StreamEvent => ({ type: 'call-arguments', index: 0, delta: text });
    const steps: readonly (readonly [string, readonly StreamEvent[]])[] = [
      ['<tool_call>run', []],
      ['\\n', []],
      ['<arg_key>', [{ type: 'call-start', index: 0, id: 'id', name: 'run' }]],
      ['command</arg_key><arg_value>', [delta('{"command": "')]],
      ['a "b" ', [delta('a \\"b\\" ')]],
      ['</arg_value>', []],
      ['c</arg_value>\n', [delta('</arg_value>c')]],
      ['<arg_key>timeout</arg_key><arg_value>1', [delta('", "timeout": ')]],
      ['2</arg_value>', []],
      [
        '</tool_call>',
        [
          delta('12}'),
          { type: 'call-end', index: 0, arguments: '{"command": "a \\"b\\" </arg_value>c", "timeout": 12}' },
        ],
      ],
    ];
    for (const [piece, events] of steps) expect(stream.feed(piece)).toEqual(events);
    expect(stream.finish()).toEqual([]);
  });

  test('a call that turns out none is taken back', () => {
    const stream = glm47.stream({ commit: 'eager' });
    const events = [...stream.feed('<tool_call>a<arg_key>'), ...stream.feed('b</arg_key> oops'), ...stream.finish()];
    expect(events.map((event) => event.type)).toEqual(['call-start', 'call-abort', 'error', 'content']);
    expect(foldEvents(events).content).toBe('<tool_call>a<arg_key>b</arg_key> oops');
  });
});

describe('hy_v3', () => {
  test.each([
    [
      'a section',
      `<tool_calls>\n<tool_call>run<tool_sep>\n${pair('command', 'ls')}\n</tool_call>\n</tool_calls>`,
      null,
    ],
    ['without a section', `Hm. <tool_call>run<tool_sep>${pair('command', 'ls')}</tool_call> So.`, 'Hm.\nSo.'],
    ['a section without an end', `<tool_calls><tool_call>run <tool_sep>\\n${pair('command', 'ls')}</tool_call>`, null],
    [
      'text in a section',
      `<tool_calls>Hm.<tool_call>run<tool_sep>${pair('command', 'ls')}</tool_call></tool_calls>`,
      '<tool_calls>Hm.',
    ],
  ])('%s', (_title, text, content) => {
    expect(callsOf(read(text, { tools }, hyV3))).toEqual([['run', { command: 'ls' }]]);
    expect(read(text, { tools }, hyV3).content).toBe(content);
  });

  test('a name must be followed by its token', () => {
    expect(read('<tool_call>ping</tool_call>', {}, hyV3).errors).toMatchObject([
      { kind: 'bad-structure', message: 'No tool call: expected <tool_sep> at offset 15, found "<"' },
    ]);
  });
});

describe('writing', () => {
  const calls = [
    { name: 'run', arguments: { command: '\nls ', timeout: 1 } },
    { name: 'ping', arguments: '{}' },
  ];

  test('each in its own layout', () => {
    const content = 'Hm.';
    const lines =
      '\n<arg_key>command</arg_key>\n<arg_value>\nls </arg_value>\n<arg_key>timeout</arg_key>\n<arg_value>1</arg_value>\n';
    expect(glm45.render(calls, { tools, content })).toBe(
      `Hm.\n<tool_call>run${lines}</tool_call>\n<tool_call>ping\n</tool_call>`,
    );
    expect(glm47.render(calls, { tools, content })).toBe(
      `Hm.\n<tool_call>run${pair('command', '\nls ')}${pair('timeout', '1')}</tool_call><tool_call>ping</tool_call>`,
    );
    expect(hyV3.render(calls, { tools, content })).toBe(
      `Hm.\n<tool_calls>\n<tool_call>run<tool_sep>${lines}</tool_call>\n<tool_call>ping<tool_sep>\n</tool_call>\n</tool_calls>`,
    );
  });

  test.each([
    ['the structural end in a value', { command: 'a</arg_value>\n</tool_call>' }],
    ['the end of a key in a key', { 'a</arg_key>': '' }],
    ['a number in place of a string', { command: 1 }],
    ['a string that reads as a number', { other: '12' }],
  ])('refused: %s', (_title, value) => {
    for (const parser of [glm45, glm47, hyV3]) {
      expect(parser.canRender([{ name: 'run', arguments: value }], { tools })).toBe(false);
    }
  });
});
