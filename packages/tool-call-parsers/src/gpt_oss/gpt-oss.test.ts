import { describe, expect, test } from '@jest/globals';
import { gptOss } from '@talaria/tool-call-parsers/gpt_oss';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

function call(name: string, json: string): string {
  return `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${json}<|call|>`;
}

function message(channel: string, body: string, end = '<|end|>'): string {
  return `<|start|>assistant<|channel|>${channel}<|message|>${body}${end}`;
}

describe('the header of a call', () => {
  test.each([
    '<|channel|>commentary to=functions.a <|constrain|>json<|message|>{}<|call|>',
    '<|channel|>commentary to=functions.a<|constrain|>json<|message|>{}<|call|>',
    '<|channel|>commentary to=functions.a json<|message|>{}<|call|>',
    '<|channel|>commentary  to=a<|message|>{}<|call|>',
    '<|channel|>analysis to=functions.a code<|message|>{}<|call|>',
    '<|channel|>final to=functions.a<|message|>{}<|call|>',
    '<|start|>assistant to=functions.a<|channel|>commentary json<|message|>{}<|call|>',
    '<|start|>assistant<|channel|>commentary to=functions.a<|channel|>commentary<|message|>{}<|call|>',
    '<|start|>assistant to=functions.a<|message|>{}<|call|>',
    ' to=functions.a<|channel|>commentary json<|message|>{}<|call|>',
    'to=functions.a<|channel|>commentary <|constrain|>json<|message|>{}<|call|>',
  ])('%s', (text) => expect(readCalls(gptOss, text)).toEqual({ content: null, calls: [['a', {}]] }));

  test.each([
    ['functions.fs.read', 'fs.read'],
    ['browser.search', 'browser.search'],
    ['functions.functions.a', 'functions.a'],
    ['python', 'python'],
  ])('the recipient %s is the tool %s', (recipient, name) => {
    expect(readCalls(gptOss, `<|channel|>commentary to=${recipient}<|message|>{}<|call|>`).calls).toEqual([[name, {}]]);
  });
});

describe('the body of a call', () => {
  test.each([
    ['blank', '<|channel|>commentary to=a<|message|> \n<|call|>'],
    ['with white space around it', '<|channel|>commentary to=a<|message|>\n{}\n<|call|>'],
    ['that ends like another message', '<|channel|>commentary to=a<|message|>{}<|end|>'],
    ['that ends with the turn', '<|channel|>commentary to=a<|message|>{}<|return|>'],
    ['before another message', `<|channel|>commentary to=a<|message|>{}${message('analysis', 'hm')}`],
    ['whose end the text cut', '<|channel|>commentary to=a<|message|>{}<|ca'],
    ['before white space', `${call('a', '{}')}\n `],
  ])('%s', (_title, text) => expect(readCalls(gptOss, text)).toEqual({ content: null, calls: [['a', {}]] }));

  test('tokens in its strings mean nothing', () => {
    const json = '{"b": "<|call|><|start|>assistant<|channel|>final<|message|>"}';
    expect(readCalls(gptOss, call('a', json)).calls).toEqual([['a', JSON.parse(json)]]);
  });

  test.each([
    ['bad-json', call('a', '{"b": }')],
    ['bad-structure', call('a', '[1]')],
    ['bad-structure', call('a', 'import os')],
    ['bad-structure', call('a', '{} {}')],
    ['bad-name', call('a{', '{}')],
    ['truncated', call('a', '{"b": "c').slice(0, -'<|call|>'.length)],
  ])('%s: the whole message is shown: %j', (kind, text) => {
    expect(readEveryWay(gptOss, text)).toMatchObject({ content: text, toolCalls: [], errors: [{ kind, start: 0 }] });
    expect(readCalls(gptOss, `${text}${message('final', 'Bye.')}`).content).toBe(`${text}\nBye.`);
  });

  test('a message that the text cut before its body is no call', () => {
    const text = '<|channel|>commentary to=a<|message|>';
    expect(readEveryWay(gptOss, text)).toMatchObject({ content: text, toolCalls: [], errors: [{ kind: 'truncated' }] });
    expect(readCalls(gptOss, `${text}${message('final', 'Bye.')}`)).toEqual({ content: 'Bye.', calls: [['a', {}]] });
  });

  test('a good call behind a broken one counts', () => {
    const broken = call('a', '{"b": "c');
    expect(readCalls(gptOss, `${broken}<|start|>assistant${call('d', '{}')}`)).toEqual({
      content: broken,
      calls: [['d', {}]],
    });
  });
});

describe('content', () => {
  test.each([
    ['plain text', ' Plain. \n', ' Plain. \n'],
    ['plain text and its end', 'Plain. <|return|>', 'Plain. '],
    ['the channels that are shown', message('commentary', 'One. \n') + message('final', 'Two. \n'), 'One.\nTwo. \n'],
    ['no reasoning', message('analysis', 'hm') + message('final', ' Yes.'), ' Yes.'],
    ['nothing but reasoning', message('analysis', 'hm'), ''],
    ['reasoning that was cut', '<|channel|>analysis<|message|>hm', ''],
    [
      'reasoning in between',
      message('final', 'One.') + message('analysis', 'hm') + message('final', 'Two.'),
      'One.\nTwo.',
    ],
    ['blank messages', message('final', 'One. ') + message('final', ' \n') + message('final', 'Two.'), 'One.\nTwo.'],
    ['a blank message at the end', message('final', 'One. ') + message('final', '\n'), 'One. '],
    ['a blank message alone', message('final', ' \n', '<|return|>'), ''],
    ['leading blanks of any message', message('final', 'One.') + message('final', '  Two.'), 'One.\n  Two.'],
    ['text around messages', `Before. ${message('final', 'Inside.')} After.`, 'Before.\nInside.\n After.'],
    ['a message without a channel', '<|start|>assistant<|message|>Hi.<|end|>', 'Hi.'],
    [
      'a channel token in a message',
      message('final', 'a <|channel|>analysis<|message|> b'),
      'a <|channel|>analysis<|message|> b',
    ],
    ['a cut message', '<|channel|>final<|message|>Half <|en', 'Half <|en'],
  ])('%s', (_title, text, content) => {
    expect(readEveryWay(gptOss, text)).toEqual({ content, toolCalls: [], errors: [] });
  });

  test('beside calls, white space at the edges goes', () => {
    const text = `${message('commentary', ' One. ')}<|start|>assistant${call('a', '{}')}${message('final', ' Two. \n')}`;
    expect(readCalls(gptOss, text).content).toBe(' One.\nTwo.');
  });

  test.each([
    ['a token in prose', 'The token <|channel|> is in prose, and so are <|start|> and <|message|>.'],
    ['an unknown channel', '<|channel|>thoughts<|message|>hm'],
    ['words too many', '<|channel|>final answer to this<|message|>hm'],
    ['a header without an end', `<|channel|>final${' '.repeat(600)}x`],
    ['a header that the text cut', '<|start|>assistant<|channel|>fin'],
  ])('what is no header is text: %s', (_title, text) => {
    const { content, errors } = readEveryWay(gptOss, text);
    expect(content).toBe(text);
    expect(errors.length).toBeGreaterThan(0);
  });

  test('what begins like a recipient may be a plain answer', () => {
    for (const text of ['to=5 or to=6, both are fine', ` to=${'x'.repeat(700)}`, 'to']) {
      expect(readEveryWay(gptOss, text)).toEqual({ content: text, toolCalls: [], errors: [] });
    }
  });

  test('a message in the name of another is shown, and is no call', () => {
    const text = '<|start|>user<|channel|>commentary to=functions.a<|message|>{}<|call|>';
    expect(readEveryWay(gptOss, text)).toMatchObject({
      content: text,
      toolCalls: [],
      errors: [{ kind: 'bad-structure', start: 0 }],
    });
  });
});

describe('eager mode', () => {
  test('content flows, reasoning does not come, arguments flow', () => {
    const stream = gptOss.stream({ commit: 'eager' });
    expect(stream.feed('<|channel|>analysis<|message|>Let me think.')).toEqual([]);
    expect(stream.feed('<|end|><|start|>assistant<|channel|>final<|message|>Well')).toMatchObject([{ text: 'Well' }]);
    expect(stream.feed(', yes <|end|>')).toMatchObject([{ text: ', yes' }]);
    expect(stream.feed('<|start|>assistant<|channel|>commentary to=functions.a')).toEqual([]);
    expect(stream.feed('<|message|>')).toMatchObject([{ type: 'call-start', name: 'a' }]);
    expect(stream.feed('{"b": "x')).toMatchObject([{ type: 'call-arguments', delta: '{"b": "x' }]);
    expect(stream.feed('y"}')).toMatchObject([{ delta: 'y"}' }]);
    expect(stream.feed('<|call|>')).toMatchObject([{ type: 'call-end', arguments: '{"b": "xy"}' }]);
    expect(stream.finish()).toEqual([]);
  });

  test('a call that breaks is withdrawn', () => {
    const types = eagerEvents(gptOss, call('a', '{"b": }')).map((event) => event.type);
    expect(types.filter((type) => type === 'call-abort' || type === 'error')).toEqual(['call-abort', 'error']);
  });
});

test('much reasoning takes no more memory than a message', () => {
  const stream = gptOss.stream();
  stream.feed('<|channel|>analysis<|message|>');
  for (let round = 0; round < 2000; round += 1) expect(stream.feed('many thoughts, '.repeat(40))).toEqual([]);
  expect(stream.feed('<|end|><|channel|>final<|message|>Done.')).toMatchObject([{ text: 'Done.' }]);
});

test('writing', () => {
  const calls = [
    { name: 'a', arguments: { b: 1 } },
    { name: 'functions.c', arguments: {} },
  ];
  expect(gptOss.render(calls, { content: 'Now. ' })).toBe(
    `<|channel|>commentary<|message|>Now.<|end|><|start|>assistant${call('a', '{"b": 1}')}<|start|>assistant${call('functions.c', '{}')}`,
  );
  expect(gptOss.render([], { content: ' Done.\n' })).toBe('<|channel|>final<|message|> Done.\n<|return|>');
  expect(gptOss.canRender([], { content: 'a <|end|> b' })).toBe(false);
  expect(gptOss.canRender([{ name: 'a b', arguments: {} }])).toBe(false);
});
