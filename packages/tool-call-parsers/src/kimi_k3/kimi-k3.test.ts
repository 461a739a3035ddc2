import { describe, expect, test } from '@jest/globals';
import { createAnswerParser, getReasoningParser, type ParseErrorKind } from '@talaria/tool-call-parsers';
import { kimiK3 } from '@talaria/tool-call-parsers/kimi_k3';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';
import { runTool } from '../../test/run-tool.ts';

const tools = [runTool];

const section = ['<|open|>tools<|sep|>', '<|close|>tools<|sep|>'] as const;
const response = ['<|open|>response<|sep|>', '<|close|>response<|sep|>'] as const;
const messageEnd = '<|close|>message<|sep|>';

function argument(value: string, attributes: string): string {
  return `<|open|>argument ${attributes}<|sep|>${value}<|close|>argument<|sep|>`;
}

function command(value: string): string {
  return argument(value, 'key="command" type="string"');
}

function call(body: string, attributes = 'tool="run" index="1"'): string {
  return `<|open|>call ${attributes}<|sep|>${body}<|close|>call<|sep|>`;
}

describe('calls', () => {
  test.each([
    ['in a section', section.join(call(command('ls'))), { command: 'ls' }],
    ['without a section', call(command('ls')), { command: 'ls' }],
    ['without the end of the section', section[0] + call(command('ls')), { command: 'ls' }],
    ['in two sections at once', section[0] + section.join(call(command('ls'))) + section[1], { command: 'ls' }],
    ['before the end of the message', `${section.join(call(''))}${messageEnd}`, {}],
    ['before an end-of-turn token', `${section.join(call(''))}<|im_end|>\n`, {}],
    [
      'white space between all tokens',
      `${section[0]}\n${call(`\n${command('ls')}\n`)}\n${section[1]}\n`,
      { command: 'ls' },
    ],
    ['no arguments', call(''), {}],
    [
      'attributes in another order, and no index',
      call(argument('5', 'type="number" key="timeout"'), 'tool="run"'),
      { timeout: 5 },
    ],
    ['a name in white space', call('', 'tool=" run "'), {}],
    ['single quotes', call(command('a').replaceAll('"', "'"), "tool='run'"), { command: 'a' }],
  ])('%s', (_title, text, value) => {
    expect(readCalls(kimiK3, text)).toEqual({ content: null, calls: [['run', value]] });
  });

  test('several, and text around', () => {
    const text = `One. ${section[0]}${call('')}${call(command('b'), 'tool="other" index="2"')}${section[1]} Two.`;
    expect(readCalls(kimiK3, text)).toEqual({
      content: 'One.\nTwo.',
      calls: [
        ['run', {}],
        ['other', { command: 'b' }],
      ],
    });
  });

  test('escapes are undone in attributes, each once, and no others', () => {
    const text = call(argument('&quot;&amp;', 'key="&quot;&amp;quot;&amp;amp;&lt;" type="string"'));
    expect(readCalls(kimiK3, text).calls).toEqual([['run', { '"&quot;&amp;&lt;': '&quot;&amp;' }]]);
  });
});

describe('types', () => {
  test.each<readonly [title: string, raw: string, attributes: string, value: unknown]>([
    ['a string, whatever it says', ' 12 ', 'key="a" type="string"', ' 12 '],
    ['a string, whatever is declared', '12', 'key="timeout" type="string"', '12'],
    ['a number, whatever is declared', '12', 'key="command" type="number"', 12],
    ['a boolean', 'true', 'key="command" type="boolean"', true],
    ['null', 'null', 'key="command" type="null"', null],
    ['an object', '{"a": [1, {}]}', 'key="a" type="object"', { a: [1, {}] }],
    ['an array', '["<|sep|>"]', 'key="a" type="array"', ['<|sep|>']],
    ['JSON wins over the type', '"12"', 'key="a" type="number"', '12'],
    ['a boolean of Python', 'False', 'key="a" type="boolean"', false],
    ['an object of Python', "{'a': None}", 'key="a" type="object"', { a: null }],
    ['a number that is none', 'twelve', 'key="a" type="number"', 'twelve'],
    ['a type that nobody knows', 'x', 'key="a" type="any"', 'x'],
    ['a type that nobody knows, and JSON', '[1]', 'key="a" type="any"', [1]],
    ['no type: as it is declared, a string', '12', 'key="command"', '12'],
    ['no type: as it is declared, an integer', ' 12 ', 'key="timeout"', 12],
    ['no type, not declared', '[1]', 'key="a"', [1]],
  ])('%s', (_title, raw, attributes, value) => {
    const [key] = /(?<=key=")\w+/.exec(attributes) ?? [''];
    expect(readCalls(kimiK3, call(argument(raw, attributes)), { tools }).calls).toEqual([['run', { [key]: value }]]);
  });

  test('digits stay', () => {
    const text = call(
      argument('12345678901234567890', 'key="b" type="number"') + argument('1.50', 'key="1" type="number"'),
    );
    expect(readEveryWay(kimiK3, text).toolCalls[0]?.arguments).toBe('{"b": 12345678901234567890, "1": 1.50}');
  });
});

describe('where a value ends', () => {
  test.each([
    'a <|close|>argument<|sep|> b',
    'a<|close|>argument<|sep|>',
    '<|close|>call<|sep|>',
    section.join(call('')),
    response.join('x'),
    '<|close|>argument<|se',
    '\n a \n',
  ])('not in %j', (value) => {
    expect(
      readCalls(kimiK3, section.join(call(command(value) + argument('1', 'key="b" type="number"')))).calls,
    ).toEqual([['run', { command: value, b: 1 }]]);
  });
});

describe('content', () => {
  test.each([
    ['a response', response.join('Hello.'), 'Hello.'],
    ['a response that is cut', `${response[0]}Hel`, 'Hel'],
    ['white space in it', response.join(' Hello.\n'), ' Hello.\n'],
    ['the end of the message', `${response.join('Hello.')}${messageEnd}`, 'Hello.'],
    ['plain text', 'Hello.', 'Hello.'],
    ['an empty response', response.join(''), ''],
    [
      'thinking is left to the reasoning parser',
      '<|open|>think<|sep|>a<|close|>think<|sep|>b',
      '<|open|>think<|sep|>a<|close|>think<|sep|>b',
    ],
    ['a section without calls', section.join(''), section.join('')],
    ['a section that is only mentioned', `Write ${section[0]} so.`, `Write ${section[0]} so.`],
    ['other tokens', '<|open|>other<|sep|><|sep|><|close|>', '<|open|>other<|sep|><|sep|><|close|>'],
  ])('%s', (_title, text, content) => {
    expect(readEveryWay(kimiK3, text)).toEqual({ content, toolCalls: [], errors: [] });
  });

  test('before and behind calls', () => {
    const text = `${response.join('One.\n')}${section.join(call(''))}${response.join(' Two.')}${messageEnd}`;
    expect(readCalls(kimiK3, text)).toEqual({ content: 'One.\nTwo.', calls: [['run', {}]] });
  });

  test('behind a reasoning parser', () => {
    const text = `Hm.<|close|>think<|sep|>${response.join('Yes.')}${section.join(call(command('ls')))}${messageEnd}`;
    const answer = createAnswerParser({ reasoning: getReasoningParser('kimi_k3'), toolCalls: kimiK3 }).parse(text);
    expect(answer).toMatchObject({
      reasoning: 'Hm.',
      content: 'Yes.',
      toolCalls: [{ name: 'run', arguments: '{"command": "ls"}' }],
    });
  });
});

describe('what is no call', () => {
  test.each<readonly [title: string, text: string, kind: ParseErrorKind, rest: string]>([
    ['no name', call('', 'index="1"'), 'bad-name', '<|close|>call<|sep|>'],
    ['a name with a bracket', call('', 'tool="a[0]"'), 'bad-name', '<|close|>call<|sep|>'],
    ['another token', '<|open|>callback<|sep|>', 'bad-structure', '<|sep|>'],
    ['text between arguments', call('text'), 'bad-structure', 'text<|close|>call<|sep|>'],
    [
      'an argument without a key',
      call(argument('x', 'type="string"')),
      'bad-name',
      'x<|close|>argument<|sep|><|close|>call<|sep|>',
    ],
    ['no end of the call', `<|open|>call tool="run"<|sep|>${command('a')}`, 'truncated', ''],
    ['a value without end', '<|open|>call tool="run"<|sep|><|open|>argument key="a"<|sep|>x', 'truncated', ''],
  ])('%s', (_title, text, kind, rest) => {
    expect(readEveryWay(kimiK3, text)).toMatchObject({
      content: text,
      toolCalls: [],
      errors: [{ kind, start: 0, end: text.length - rest.length }],
    });
  });

  test('a bad call before a good one', () => {
    const bad = call('oops');
    expect(readCalls(kimiK3, section.join(bad + call('')))).toEqual({
      content: section[0] + bad,
      calls: [['run', {}]],
    });
  });
});

describe('as it comes', () => {
  test('a long string flows, and the name comes once', () => {
    const stream = kimiK3.stream({ commit: 'eager' });
    const events = stream.feed(
      `${section[0]}<|open|>call tool="run"<|sep|><|open|>argument key="a" type="string"<|sep|>`,
    );
    expect(events).toMatchObject([
      { type: 'call-start', name: 'run' },
      { type: 'call-arguments', delta: '{"a": "' },
    ]);
    expect(stream.feed('some words')).toMatchObject([{ delta: 'some words' }]);
    expect(stream.feed('<|close|>argument<|sep|>')).toEqual([]);
    expect(stream.feed('!')).toMatchObject([{ delta: '<|close|>argument<|sep|>!' }]);
  });

  test('other types come whole', () => {
    const deltas = eagerEvents(
      kimiK3,
      call(argument('[1, 2]', 'key="a" type="array"') + argument('3', 'key="b" type="number"')),
    ).flatMap((event) => (event.type === 'call-arguments' ? [event.delta] : []));
    expect(deltas).toEqual(['{"a": ', '[1, 2]', ', "b": ', '3}']);
  });

  test('a response flows', () => {
    const stream = kimiK3.stream();
    expect(stream.feed(`${response[0]}Some`)).toEqual([{ type: 'content', text: 'Some' }]);
    expect(stream.feed(' words<|close|>resp')).toEqual([{ type: 'content', text: ' words' }]);
    expect(stream.feed('onse<|sep|>')).toEqual([]);
  });
});

describe('written', () => {
  test('a call of each type, numbered', () => {
    const value = { a: 'x', b: 1.5, c: true, d: null, e: [1], f: { g: '"' } };
    const calls = [
      { name: 'one', arguments: value },
      { name: 'two', arguments: {} },
    ];
    const text = kimiK3.render(calls, { content: 'Well.' });
    const types = ['string', 'number', 'boolean', 'null', 'array', 'object'];
    const values = ['x', '1.5', 'true', 'null', '[1]', '{"g": "\\""}'];
    const written = types.map((type, index) =>
      argument(values[index] ?? '', `key="${'abcdef'[index]}" type="${type}"`),
    );
    expect(text).toBe(
      `${response.join('Well.')}${section.join(`${call(written.join(''), 'tool="one" index="1"')}${call('', 'tool="two" index="2"')}`)}`,
    );
    expect(readCalls(kimiK3, text)).toEqual({
      content: 'Well.',
      calls: calls.map(({ name, arguments: given }) => [name, given]),
    });
  });

  test('content alone', () => {
    expect(kimiK3.render([], { content: 'Well. ' })).toBe(response.join('Well. '));
    expect(kimiK3.render([])).toBe('');
  });

  test('any key', () => {
    const value = { [`"a'&<|sep|>&quot;`]: ' ' };
    expect(readCalls(kimiK3, kimiK3.render([{ name: 'f', arguments: value }])).calls).toEqual([['f', value]]);
  });

  test.each([
    [
      'a value with the end of a call',
      [{ name: 'f', arguments: { a: '<|close|>argument<|sep|><|close|>call<|sep|>' } }],
      undefined,
    ],
    ['content with a token', [], response[0]],
    ['a name with a blank', [{ name: 'a b', arguments: {} }], undefined],
  ])('refused: %s', (_title, calls, content) => {
    expect(kimiK3.canRender(calls, { content })).toBe(false);
  });
});
