import { describe, expect, test } from '@jest/globals';
import type { ParseErrorKind, ToolCallParser } from '@talaria/tool-call-parsers';
import { deepseekV4 } from '@talaria/tool-call-parsers/deepseek_v4';
import { deepseekV32 } from '@talaria/tool-call-parsers/deepseek_v32';
import { minimaxM2 } from '@talaria/tool-call-parsers/minimax_m2';
import { step3 } from '@talaria/tool-call-parsers/step3';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';
import { runTool } from '../../test/run-tool.ts';
import { maximumCallLength } from '../stream/call-limits.ts';

const tools = [runTool];

/** How a format of the family spells the parts of a call. */
interface Spelling {
  readonly parser: ToolCallParser;
  readonly prefix: string;
  readonly section: readonly [open: string, close: string];
  /** What stands before and behind each call. */
  readonly frame: readonly [open: string, close: string];
}

const plain: Spelling = {
  parser: minimaxM2,
  prefix: '',
  section: ['<minimax:tool_call>', '</minimax:tool_call>'],
  frame: ['', ''],
};
const dsml32: Spelling = {
  parser: deepseekV32,
  prefix: '｜DSML｜',
  section: ['<｜DSML｜function_calls>', '</｜DSML｜function_calls>'],
  frame: ['', ''],
};
const dsml4: Spelling = {
  ...dsml32,
  parser: deepseekV4,
  section: ['<｜DSML｜tool_calls>', '</｜DSML｜tool_calls>'],
};
const framed: Spelling = {
  parser: step3,
  prefix: 'steptml:',
  section: ['<｜tool_calls_begin｜>', '<｜tool_calls_end｜>'],
  frame: ['<｜tool_call_begin｜>function<｜tool_sep｜>', '<｜tool_call_end｜>'],
};
const spellings = [plain, dsml32, dsml4, framed].map((spelling) => ({ ...spelling, name: spelling.parser.name }));

/** Writes calls with bare tags, `<invoke name="…">` and so on, as a format spells them. */
function spell({ prefix, frame }: Spelling, text: string): string {
  const invoke = text.replaceAll(/<(\/?)(invoke|parameter)/g, `<$1${prefix}$2`);
  return invoke
    .replaceAll(`<${prefix}invoke`, `${frame[0]}<${prefix}invoke`)
    .replaceAll(`</${prefix}invoke>`, `</${prefix}invoke>${frame[1]}`);
}

function inSection(spelling: Spelling, text: string): string {
  return spelling.section.join(spell(spelling, text));
}

function parameter(value: string, key = 'command'): string {
  return `<parameter name="${key}">${value}</parameter>`;
}

function run(body: string): string {
  return `<invoke name="run">${body}</invoke>`;
}

describe.each(spellings)('$name', (spelling) => {
  const { parser, section } = spelling;
  const read = (text: string): ReturnType<typeof readCalls> => readCalls(parser, text, { tools });
  const readSection = (text: string): ReturnType<typeof readCalls> => read(inSection(spelling, text));

  describe('calls', () => {
    test.each([
      ['one parameter', run(parameter('ls')), [['run', { command: 'ls' }]]],
      ['none', run(''), [['run', {}]]],
      ['none, and white space', run(' \r\n\t'), [['run', {}]]],
      [
        'white space between all tags',
        `\n<invoke name="run">\n${parameter('ls')}\n\n${parameter('5', 'timeout')} \n</invoke>\n`,
        [['run', { command: 'ls', timeout: 5 }]],
      ],
      [
        'several calls',
        `${run(parameter('a'))}\n${run('')}${run(parameter('b'))}`,
        [
          ['run', { command: 'a' }],
          ['run', {}],
          ['run', { command: 'b' }],
        ],
      ],
      [
        'single quotes',
        `<invoke name='run'><parameter name='command'>ls</parameter></invoke>`,
        [['run', { command: 'ls' }]],
      ],
      [
        'white space in tags',
        `<invoke  name = "run" ><parameter\nname="command"\n>ls</parameter></invoke>`,
        [['run', { command: 'ls' }]],
      ],
      [
        'other attributes',
        `<invoke id="1" name="run"><parameter a='"' name="command">ls</parameter></invoke>`,
        [['run', { command: 'ls' }]],
      ],
      ['a name in white space', `<invoke name=" run\n"></invoke>`, [['run', {}]]],
      [
        'a name of many kinds of characters',
        `<invoke name="mcp__mail-box:v1/ping.é"></invoke>`,
        [['mcp__mail-box:v1/ping.é', {}]],
      ],
      ['a name of 256 characters', `<invoke name="${'x'.repeat(256)}"></invoke>`, [['x'.repeat(256), {}]]],
      [
        'a tool that nobody declared',
        `<invoke name="other">${parameter('[1]')}</invoke>`,
        [['other', { command: [1] }]],
      ],
      [
        'a key with quotes and brackets',
        `<invoke name="run"><parameter name='a"<b>'>x</parameter></invoke>`,
        [['run', { 'a"<b>': 'x' }]],
      ],
      ['a repeated parameter: the last counts', run(parameter('a') + parameter('b')), [['run', { command: 'b' }]]],
    ])('%s', (_title, text, calls) => {
      expect(readSection(text)).toEqual({ content: null, calls });
    });

    test('text before, between and behind them is content', () => {
      const [first, second] = [run(parameter('a')), run(parameter('b'))].map((call) => spell(spelling, call));
      const text = ` One. \n${section[0]}${first} Two. ${second}${section[1]}\n Three. `;
      expect(read(text)).toEqual({
        content: ' One.\nTwo.\nThree.',
        calls: [
          ['run', { command: 'a' }],
          ['run', { command: 'b' }],
        ],
      });
    });

    test('two sections', () => {
      const text = `${inSection(spelling, run(parameter('a')))} and ${inSection(spelling, run(parameter('b')))}`;
      expect(read(text)).toMatchObject({ content: 'and', calls: { length: 2 } });
    });

    test('the end of the section may be missing, and so may an end-of-turn token stand there', () => {
      const text = section[0] + spell(spelling, run(parameter('ls')));
      for (const end of ['', '\n', '\n</s>', ' <|im_end|>\n', section[1].slice(0, -1)]) {
        const { content, calls } = read(text + end);
        expect(calls).toEqual([['run', { command: 'ls' }]]);
        expect(content).toBe(end === section[1].slice(0, -1) ? end : null);
      }
    });

    test('the tags of a section that stand beside no call are text', () => {
      for (const text of [section.join(''), section.join(' words '), `a ${section[1]} b`, section[0]]) {
        expect(read(text)).toEqual({ content: text, calls: [] });
      }
    });
  });

  describe('where a value ends', () => {
    test.each([
      ['not at an end tag before words', 'echo </parameter> b'],
      ['not at an end tag before its own', 'a</parameter>'],
      ['not at the end of a call', 'a </invoke> b'],
      ['not at the tags of a section', `a ${section.join(' ')} b`],
      ['not at a start tag', '<invoke name="x"><parameter name="y">'],
      ['not at the beginning of its end tag', 'make 2>&1 </par'],
      ['not in the middle of JSON', '{"a": "</parameter>"}'],
      ['not in XML with such tags', '<p><parameter>a</parameter>\n<parameter>b</parameter></p>'],
      ['not in XML with longer names', '<parameter>a</parameter> <parameters></parameters>'],
    ])('%s', (_title, bare) => {
      const value = spell({ ...spelling, frame: ['', ''] }, bare);
      const text = spell(spelling, run(parameter('VALUE') + parameter('n', 'note'))).replace('VALUE', () => value);
      expect(read(section.join(text)).calls).toEqual([['run', { command: value, note: 'n' }]]);
    });

    test.each([
      ['a parameter', `</parameter>\n${parameter('n', 'note')}</invoke>`, { command: 'ls', note: 'n' }],
      [
        'a parameter whose attributes stand on a line of their own',
        '</parameter><parameter\nname="note">n</parameter></invoke>',
        { command: 'ls', note: 'n' },
      ],
      ['the end of the call', '</parameter> \n</invoke>', { command: 'ls' }],
    ])('at its end tag before %s', (_title, rest, value) => {
      expect(readSection(`<invoke name="run"><parameter name="command">ls${rest}`).calls).toEqual([['run', value]]);
    });
  });

  describe('types', () => {
    test.each([
      ['a declared string keeps null', 'command', 'null', 'null'],
      ['and digits', 'command', '012', '012'],
      ['and quotes', 'command', '"a"', '"a"'],
      ['and blanks', 'command', '  a \t', '  a \t'],
      ['and what XML would escape', 'command', '&amp;&lt;<b>', '&amp;&lt;<b>'],
      ['and controls and pairs', 'command', '\u0001\u2028\\n👋', '\u0001\u2028\\n👋'],
      ['an empty one', 'command', '', ''],
      ['an integer', 'timeout', ' 12 ', 12],
      ['no integer', 'timeout', 'soon', 'soon'],
      ['a boolean of Python', 'force', 'True', true],
      ['yes is no boolean', 'force', 'yes', 'yes'],
      ['null where it may be', 'hint', 'None', null],
      ['a string where it may be null', 'hint', 'nil', 'nil'],
      ['an object', 'options', '{"a": [1, {"b": null}]}', { a: [1, { b: null }] }],
      ['an object of Python', 'options', "{'a': (1, None)}", { a: [1, null] }],
      ['an object that was encoded twice', 'options', '"{\\"a\\": 1}"', { a: 1 }],
      ['what nobody declared: JSON', 'other', ' [1, 2.50] ', [1, 2.5]],
      ['what nobody declared: text', 'other', ' a ', ' a '],
    ])('%s', (_title, key, raw, value) => {
      expect(readSection(run(parameter(raw, key))).calls).toEqual([['run', { [key]: value }]]);
    });

    test('arguments are written in order, and digits stay', () => {
      const body = parameter('12345678901234567890', 'b') + parameter('1.50', '2') + parameter('x', '1');
      const { toolCalls } = readEveryWay(parser, inSection(spelling, `<invoke name="f">${body}</invoke>`));
      expect(toolCalls[0]?.arguments).toBe('{"b": 12345678901234567890, "2": 1.50, "1": "x"}');
    });
  });

  describe('what is no call', () => {
    const start = '<invoke name="run">';
    test.each<readonly [title: string, text: string, kind: ParseErrorKind, message: RegExp, end: string]>([
      ['no name', '<invoke>', 'bad-name', /"" is no name/, ''],
      ['a blank name', '<invoke name=" ">', 'bad-name', /"" is no name/, ''],
      ['a name with a blank', '<invoke name="a b">', 'bad-name', /"a b" is no name/, ''],
      ['a long name', `<invoke name="${'x'.repeat(257)}">`, 'bad-name', /"x+" is no name/, ''],
      ['an endless attribute', `<invoke name="${'x'.repeat(600)}`, 'bad-name', /too long/, 'x'.repeat(87)],
      ['an attribute without a value', '<invoke name>', 'bad-structure', /expected =.*found ">"/, '>'],
      ['a value without quotes', '<invoke name=run>', 'bad-structure', /expected a quoted value.*found "r"/, 'run>'],
      ['a parameter without a name', `${start}<parameter>`, 'bad-name', /a parameter has no name/, ''],
      ['text before parameters', `${start}x${parameter('b')}`, 'bad-structure', /found "x"/, `x${parameter('b')}`],
    ])('%s', (_title, bare, kind, message, rest) => {
      const [call, end] = [bare, rest].map((part) => spell(spelling, part));
      const text = `Now. ${section[0]}${call} more`;
      const { content, toolCalls, errors } = readEveryWay(parser, text);
      expect({ content, toolCalls, kinds: errors.map((error) => error.kind) }).toEqual({
        content: text,
        toolCalls: [],
        kinds: [kind],
      });
      expect(errors[0]?.message).toMatch(message);
      expect(errors[0]?.end).toBe(text.length - `${end} more`.length);
      expect(errors[0]?.start).toBe('Now. '.length);
    });

    test('a text that is cut anywhere in a call: all of it is content', () => {
      const text = `Now.\n${inSection(spelling, run(parameter('ls') + parameter('5', 'timeout')))}`;
      const callEnd = `</${spelling.prefix}invoke>`;
      for (let length = text.indexOf('name='); length < text.indexOf(callEnd) + callEnd.length; length += 1) {
        const cut = text.slice(0, length);
        expect(readEveryWay(parser, cut, { finishReason: 'length' })).toEqual({
          content: cut,
          toolCalls: [],
          errors: [expect.objectContaining({ kind: 'truncated', end: length })],
        });
      }
    });

    test('a bad call does not harm the next one, in its section or in another', () => {
      const bad = '<invoke name="a b"></invoke>';
      const good = run(parameter('ls'));
      const calls = [['run', { command: 'ls' }]];
      for (const text of [
        inSection(spelling, good + bad),
        inSection(spelling, bad) + inSection(spelling, good),
        inSection(spelling, bad + good),
      ]) {
        const result = read(text);
        expect(result.calls).toEqual(calls);
        expect(result.content).toContain('name="a b"');
      }
    });

    test('a call that is too long', () => {
      const long = 'x'.repeat(maximumCallLength);
      for (const text of [
        inSection(spelling, run(parameter(long))),
        section[0] + spell(spelling, `${start}<parameter name="a">${long}`),
      ]) {
        const { toolCalls, errors, content } = parser.parse(text, { tools });
        expect(toolCalls).toEqual([]);
        expect(content).toHaveLength(text.length);
        expect(errors).toMatchObject([{ kind: 'limit', message: expect.stringContaining('the call is too long') }]);
      }
    });
  });

  describe('as it comes', () => {
    test('a long string flows, an end tag waits until it is known what it is', () => {
      const stream = parser.stream({ commit: 'eager', tools });
      const head = spell(spelling, '<invoke name="run"><parameter name="command">').replace(/function$/, '');
      const started = stream.feed(section[0] + head);
      expect(started.map((event) => event.type)).toEqual(['call-start', 'call-arguments']);
      expect(stream.feed('some words')).toMatchObject([{ type: 'call-arguments', delta: 'some words' }]);
      const end = `</${spelling.prefix}parameter>`;
      expect(stream.feed(end)).toEqual([]);
      expect(stream.feed(' ')).toEqual([]);
      expect(stream.feed('and')).toMatchObject([{ type: 'call-arguments', delta: `${end} and` }]);
      expect(stream.finish().map((event) => event.type)).toEqual(['call-abort', 'error', 'content']);
    });

    test('the name comes once and whole, and other types when they are complete', () => {
      const deltas = eagerEvents(parser, inSection(spelling, run(parameter('1234', 'timeout'))), { tools }).flatMap(
        (event) => (event.type === 'call-arguments' ? [event.delta] : event.type === 'call-start' ? [event.name] : []),
      );
      expect(deltas).toEqual(['run', '{"timeout": ', '1234}']);
    });

    test('a call that breaks is withdrawn', () => {
      const events = eagerEvents(parser, inSection(spelling, `${run(`${parameter('ls')} oops`)}`), { tools });
      expect(events.filter((event) => event.type === 'call-abort')).toHaveLength(1);
      expect(events.filter((event) => event.type === 'call-end')).toHaveLength(0);
    });

    test('in call mode no part of a call is given before all of it is there', () => {
      const stream = parser.stream({ tools });
      const text = inSection(spelling, run(parameter('ls')));
      const callEnd = `</${spelling.prefix}invoke>`;
      const at = text.indexOf(callEnd) + callEnd.length;
      const before = text
        .slice(0, at - 1)
        .split('')
        .flatMap((unit) => stream.feed(unit));
      expect(before).toEqual([]);
      expect(stream.feed('>').map((event) => event.type)).toEqual(['call-start', 'call-arguments', 'call-end']);
    });
  });

  describe('written', () => {
    test.each<readonly [title: string, value: Readonly<Record<string, unknown>>]>([
      ['strings of all kinds', { command: ' \n"a" <b> & \\ \t👋\n', note: '' }],
      ['line feeds at the ends', { command: '\n\na\n', note: '\n' }],
      ['other values', { timeout: -5, force: false, hint: null, options: { a: [1, 'x'] } }],
      ['its own end tag', { command: `</${spelling.prefix}parameter> a </${spelling.prefix}invoke> b` }],
      ['keys with quotes', { 'a"b': 1, "a'b": 2, ' a ': 3 }],
      ['no arguments', {}],
    ])('%s', (_title, value) => {
      const text = parser.render([{ name: 'run', arguments: value }], { tools, content: 'Well.' });
      expect(read(text)).toEqual({ content: 'Well.', calls: [['run', value]] });
    });

    test.each<readonly [title: string, name: string, value: Readonly<Record<string, unknown>>]>([
      [
        'its end tag before an end of the call',
        'run',
        { command: `a</${spelling.prefix}parameter></${spelling.prefix}invoke>` },
      ],
      ['a key with both quotes', 'run', { [`a"b'c`]: 1 }],
      ['a long key', 'run', { ['k'.repeat(513)]: 1 }],
      ['a name with a blank', 'a b', {}],
    ])('refused: %s', (_title, name, value) => {
      expect(parser.canRender([{ name, arguments: value }], { tools })).toBe(false);
    });
  });
});

describe('minimax_m2', () => {
  const read = (text: string): ReturnType<typeof readCalls> => readCalls(minimaxM2, text, { tools });

  test.each([
    ['one line feed goes at each end', '\n\n a \n\n', '\n a \n'],
    ['a single line feed is none', '\n', ''],
    ['two are none either', '\n\n', ''],
    ['a carriage return stays', '\r\na\r\n', '\r\na\r'],
    ['a line feed inside', 'a\nb', 'a\nb'],
  ])('%s', (_title, raw, command) => {
    expect(read(inSection(plain, run(parameter(raw)))).calls).toEqual([['run', { command }]]);
  });

  test('calls outside of a section are text', () => {
    const text = `Write ${run(parameter('ls'))} so.`;
    expect(readEveryWay(minimaxM2, text)).toEqual({ content: text, toolCalls: [], errors: [] });
  });

  test('behind the end of its section a call is text again', () => {
    const call = run(parameter('ls'));
    const text = `${inSection(plain, call)} ${call}`;
    expect(read(text)).toEqual({ content: call, calls: [['run', { command: 'ls' }]] });
  });

  test('a section that begins with something else is text, and its calls with it', () => {
    const text = `<minimax:tool_call> words ${run('')}</minimax:tool_call>`;
    expect(readEveryWay(minimaxM2, text)).toMatchObject({
      content: text,
      toolCalls: [],
      errors: [{ kind: 'bad-structure', message: expect.stringContaining('expected <invoke') }],
    });
  });
});

test.each([minimaxM2, step3])('a number where a string is declared cannot be written: $name', (parser) => {
  const calls = [{ name: 'run', arguments: { command: 5 } }];
  expect(parser.canRender(calls, { tools })).toBe(false);
  expect(parser.canRender(calls)).toBe(true);
});

describe('step3', () => {
  test.each([
    [
      'white space in the frame',
      '<｜tool_call_begin｜> function\n<｜tool_sep｜> <steptml:invoke name="run"></steptml:invoke> <｜tool_call_end｜>',
    ],
    ['no end of the frame', '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="run"></steptml:invoke>'],
    ['the end of the section twice', `${inSection(framed, run(''))}<｜tool_calls_end｜>`],
    ['no section', spell(framed, run(''))],
  ])('a call: %s', (_title, text) => {
    expect(readCalls(step3, text)).toEqual({ content: null, calls: [['run', {}]] });
  });

  test.each<readonly [title: string, text: string, errors: number]>([
    ['a tag without the frame', '<steptml:invoke name="run"></steptml:invoke>', 0],
    ['another type', '<｜tool_call_begin｜>macro<｜tool_sep｜><steptml:invoke name="run"></steptml:invoke>', 1],
    ['no separator', '<｜tool_call_begin｜>function<steptml:invoke name="run"></steptml:invoke>', 1],
    ['another tag', '<｜tool_call_begin｜>function<｜tool_sep｜>{"name": "run"}', 1],
  ])('text: %s', (_title, text, errors) => {
    expect(readEveryWay(step3, text)).toMatchObject({ content: text, toolCalls: [], errors: { length: errors } });
  });

  test('values keep their line feeds', () => {
    const text = inSection(framed, run(parameter('\na\n')));
    expect(readCalls(step3, text, { tools }).calls).toEqual([['run', { command: '\na\n' }]]);
  });
});

describe.each([dsml32, dsml4])('DSML', (spelling) => {
  const { parser } = spelling;
  const typed = (value: string, isString: string, key = 'command'): string =>
    `<parameter name="${key}" string="${isString}">${value}</parameter>`;
  const read = (text: string): ReturnType<typeof readCalls> => readCalls(parser, inSection(spelling, text), { tools });

  test.each<readonly [title: string, raw: string, isString: string, key: string, value: unknown]>([
    ['a string, whatever is declared', '5', 'true', 'timeout', '5'],
    ['a string that nobody declared', 'null', 'true', 'other', 'null'],
    ['a string with line feeds', '\n a\n', 'true', 'command', '\n a\n'],
    ['JSON, whatever is declared', '5', 'false', 'command', 5],
    ['JSON that nobody declared', ' {"a": [1]} ', 'false', 'other', { a: [1] }],
    ['a string of JSON', '"a"', 'false', 'command', 'a'],
    ['no JSON: as it is declared', "{'a': True}", 'false', 'options', { a: true }],
    ['no JSON, and a string is declared', 'a b', 'false', 'command', 'a b'],
    ['another value of the attribute says nothing', '5', 'maybe', 'command', '5'],
    ['nor does this', '5', 'maybe', 'timeout', 5],
  ])('%s', (_title, raw, isString, key, value) => {
    expect(read(run(typed(raw, isString, key))).calls).toEqual([['run', { [key]: value }]]);
  });

  test('an object of JSON may stand for all parameters', () => {
    const json = '{"command": "</｜DSML｜invoke>", "n": 1.0}';
    const { toolCalls } = readEveryWay(parser, inSection(spelling, run(`\n${json}\n`)));
    expect(toolCalls).toMatchObject([{ name: 'run', arguments: json }]);
  });

  test.each<readonly [title: string, body: string, kind: ParseErrorKind, message: RegExp]>([
    ['is no JSON', '{"a": }', 'bad-json', /not JSON/],
    ['and a parameter', `{} ${typed('a', 'true')}`, 'bad-structure', /expected <\/｜DSML｜invoke>.*found "<"/],
    ['and another', '{} {}', 'bad-structure', /expected <\/｜DSML｜invoke>.*found "{"/],
    [
      'behind a parameter, which is a part of it',
      `${typed('a', 'true')} {}`,
      'truncated',
      /expected <\/｜DSML｜parameter>/,
    ],
    ['that is an array', '[1]', 'bad-structure', /found "\["/],
  ])('no call: an object %s', (_title, body, kind, message) => {
    const text = inSection(spelling, run(body));
    const { content, toolCalls, errors } = readEveryWay(parser, text);
    expect({ content, toolCalls }).toEqual({ content: text, toolCalls: [] });
    expect(errors).toEqual([expect.objectContaining({ kind, message: expect.stringMatching(message) })]);
  });

  test('an object of JSON flows', () => {
    const stream = parser.stream({ commit: 'eager' });
    stream.feed(spell(spelling, '<invoke name="run">'));
    expect(stream.feed('{"command": "a')).toMatchObject([{ type: 'call-arguments', delta: '{"command": "a' }]);
    expect(stream.feed('b')).toMatchObject([{ type: 'call-arguments', delta: 'b' }]);
  });

  test('calls need no section, and the section of another version is text', () => {
    const call = spell(spelling, run(typed('ls', 'true')));
    expect(readCalls(parser, call).calls).toEqual([['run', { command: 'ls' }]]);
    const other = spelling === dsml4 ? dsml32 : dsml4;
    const [open, close] = other.section;
    expect(readCalls(parser, open + call + close)).toEqual({
      content: `${open}\n${close}`,
      calls: [['run', { command: 'ls' }]],
    });
  });

  test('values are written with what tells strings from JSON', () => {
    const text = parser.render([{ name: 'run', arguments: { a: '5', b: 5, c: [1], d: null } }]);
    expect(text.match(/string="\w+">[^<]*/g)).toEqual([
      'string="true">5',
      'string="false">5',
      'string="false">[1]',
      'string="false">null',
    ]);
    expect(readCalls(parser, text).calls).toEqual([['run', { a: '5', b: 5, c: [1], d: null }]]);
  });
});
