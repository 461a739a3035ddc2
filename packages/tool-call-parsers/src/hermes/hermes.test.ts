import { describe, expect, test } from '@jest/globals';
import { foldEvents, type StreamEvent, type StreamOptions } from '@talaria/tool-call-parsers';
import { hermes } from '@talaria/tool-call-parsers/hermes';

const ping = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>';

function call(body: string): string {
  return `<tool_call>${body}</tool_call>`;
}

function names(text: string): string[] {
  return hermes.parse(text).toolCalls.map((found) => found.name);
}

function eventsOf(pieces: readonly string[], options: StreamOptions = {}): StreamEvent[] {
  const stream = hermes.stream({ idFactory: () => 'id', ...options });
  return [...pieces.flatMap((piece) => stream.feed(piece)), ...stream.finish()];
}

function typesOf(events: readonly StreamEvent[]): string[] {
  return events.map((event) => event.type);
}

describe('content beside calls', () => {
  test.each([
    [
      'text between calls is joined by one line feed',
      `First. \n${ping}\n\n Second.\n${ping}\nThird. \n`,
      'First.\nSecond.\nThird.',
    ],
    ['blank text between calls vanishes', `One.${ping} \n ${ping} \n`, 'One.'],
    ['an end-of-turn token in the text is text', `a <|im_end|> b ${ping}`, 'a <|im_end|> b'],
    ['an end-of-turn token before a call is text', `a <|im_end|> ${ping}`, 'a <|im_end|>'],
    ['an end-of-turn token between calls is text', `${ping}</s>${ping}`, '</s>'],
    ['end-of-turn tokens after a call vanish, all of them', `${ping} </s> <|im_end|>\n`, null],
    ['white space before a broken block stays', `a  <tool_call>x ${ping}`, 'a  <tool_call>x'],
    ['a marker cut by the end of the text is text', `${ping} <tool_c`, '<tool_c'],
    ['a no-break space is text', `\u00a0${ping}`, '\u00a0'],
  ])('%s', (_title, text, content) => {
    expect(hermes.parse(text).content).toBe(content);
  });

  test.each([
    ['end-of-turn tokens go, white space before them stays', 'Done. <|im_end|> </s>\n', 'Done. '],
    ['one in the middle stays', 'a</s>b</s>', 'a</s>b'],
    ['what begins like one stays', 'Done.<|im_en', 'Done.<|im_en'],
    ['the other tokens too', 'x[EOS]<end_of_turn><｜end▁of▁sentence｜>', 'x'],
    ['one at the end of a cut call goes', '<tool_call>{"name": "a', '<tool_call>{"name": "a'],
    ['blank text stays', ' \n', ' \n'],
  ])('without a call: %s', (_title, text, content) => {
    expect(hermes.parse(text)).toMatchObject({ content, toolCalls: [] });
    expect(hermes.parse(`${text}<|im_end|>`).content).toBe(content);
  });
});

describe('where a call may end', () => {
  test.each([
    ['an end-of-turn token instead of the end tag', '<tool_call>{"name": "ping"}<|im_end|>'],
    ['an end tag that the end of the text cut', '<tool_call>{"name": "ping"}\n</tool_ca'],
    ['another start tag', '<tool_call>{"name": "ping"} <tool_call>oops'],
    ['a start tag that the end of the text cut', '<tool_call>{"name": "ping"} <tool_c'],
  ])('%s: the call counts', (_title, text) => expect(names(text)).toEqual(['ping']));

  test.each([
    ['one brace too many', call('{"name": "ping"}}')],
    ['two objects', call('{"name": "ping"}{"name": "pong"}')],
    ['an array', call('[{"name": "ping"}]')],
    ['words after the object', call('{"name": "ping"} please ')],
    ['an end-of-turn token before the end tag', call('{"name": "ping"}</s>')],
  ])('%s: no call, and all of it is content', (_title, text) => {
    expect(hermes.parse(text)).toMatchObject({ content: text, toolCalls: [], errors: [{ kind: 'bad-structure' }] });
  });

  test('a call inside a string of an object that is no call stays data', () => {
    const text = call('{"arguments": {"text": "<tool_call>{} </tool_call>"}}');
    expect(hermes.parse(text)).toMatchObject({ content: text, toolCalls: [], errors: [{ kind: 'bad-name' }] });
  });
});

describe('names and arguments', () => {
  test.each([
    ['null', 'null', '{}'],
    ['an empty string', '""', '{}'],
    ['a blank string', '" \\n "', '{}'],
    ['an object in a string', '" {\\"a\\": [1]} "', '{"a": [1]}'],
    ['an object in a string with a raw line feed', '"{\\"a\\": \\"x\ny\\"}"', '{"a": "x\\ny"}'],
    ['white space inside stays', '{ "a" :\n1 }', '{ "a" :\n1 }'],
    ['raw control characters', '{"a": "\t\u0001é\\"\n"}', '{"a": "\\t\\u0001é\\"\\n"}'],
    ['duplicate keys stay', '{"a": 1, "a": 2}', '{"a": 1, "a": 2}'],
  ])('arguments: %s', (_title, value, expected) => {
    const result = hermes.parse(call(`{"name": "n", "arguments": ${value}}`));
    expect(result.toolCalls[0]?.arguments).toBe(expected);
    const events = eventsOf([...call(`{"name": "n", "arguments": ${value}}`)], { commit: 'eager' });
    expect(foldEvents(events).toolCalls[0]?.arguments).toBe(expected);
  });

  test.each(['[]', '1', 'true', '"text"', '"[1]"', '"{\\"a\\": }"', '"{} {}"', '"\\"{}\\""'])(
    'arguments %s are refused',
    (value) => {
      const text = call(`{"name": "n", "arguments": ${value}}`);
      expect(hermes.parse(text)).toMatchObject({ content: text, toolCalls: [], errors: [{ kind: 'bad-arguments' }] });
    },
  );

  test.each(['""', '" \\t"', '1', 'null', '{}', '["ping"]'])('the name %s is refused', (value) => {
    expect(hermes.parse(call(`{"name": ${value}}`))).toMatchObject({ toolCalls: [], errors: [{ kind: 'bad-name' }] });
  });

  test.each([
    ['trimmed', '{"name": " ping\\n"}', 'ping'],
    ['of any script', '{"name": "пинг.日本-x:y/z"}', 'пинг.日本-x:y/z'],
    ['the last of several', '{"name": "a", "name": 1, "name": "b"}', 'b'],
    ['under an escaped key', '{"\\u006eame": "ping"}', 'ping'],
  ])('a name: %s', (_title, body, expected) => expect(names(call(body))).toEqual([expected]));

  test.each([
    ['arguments win over parameters', '"arguments": {"a": 1}, "parameters": {"b": 2}', '{"a": 1}'],
    ['in either order', '"parameters": {"b": 2}, "arguments": {"a": 1}', '{"a": 1}'],
    ['the last arguments count', '"arguments": {"a": 1}, "arguments": {"a": 2}', '{"a": 2}'],
  ])('%s, in both commit modes and whatever came first', (_title, members, expected) => {
    const text = call(`{"name": "n", ${members}}`);
    expect(hermes.parse(text).toolCalls[0]?.arguments).toBe(expected);
    const folded = foldEvents(eventsOf([...text], { commit: 'eager' }));
    expect(folded).toMatchObject({ content: null, errors: [], toolCalls: [{ arguments: expected }] });
  });

  test('a tool that nobody declared is returned', () => {
    const result = hermes.parse(ping, { tools: [{ type: 'function', function: { name: 'other' } }] });
    expect(result.toolCalls).toHaveLength(1);
  });
});

describe('what is no JSON', () => {
  test.each([
    "{'name': 'a'}",
    '{name: "a"}',
    '{"name": "a",}',
    '{"name": "a" /* x */}',
    '{"name": "\\x"}',
    '{"name": "\\u12g4"}',
    '{"name": "a", "arguments": {"n": NaN}}',
    '{"name": "a", "arguments": {"n": 01}}',
    '{"name": "a", "arguments": {"n": 1.}}',
    '{"name": "a", "arguments": {"n": +1}}',
    '{"name": "a", "arguments": {"n": 1e}}',
    '{"name": "a", "arguments": {"n": [1,]}}',
    '{"name": "a", "arguments": {"n": tru}}',
    '{"name": "a", "arguments": {"n": [1}}}',
  ])('%s', (body) => {
    const text = call(body);
    const result = hermes.parse(text);
    expect(result).toMatchObject({ content: text, toolCalls: [], errors: [{ kind: 'bad-json', start: 0 }] });
  });

  test('nesting is limited to 512 levels', () => {
    const nested = (depth: number): string =>
      call(`{"name": "n", "arguments": ${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`);
    expect(names(nested(511))).toEqual(['n']);
    expect(hermes.parse(nested(512))).toMatchObject({ toolCalls: [], errors: [{ kind: 'limit' }] });
  });

  test('a call is limited to 16 MiB', () => {
    const frame = '{"name": "n", "arguments": {"a": ""}}'.length;
    const sized = (length: number): string =>
      call(`{"name": "n", "arguments": {"a": "${'x'.repeat(length - frame)}"}}`);
    expect(names(sized(2 ** 24))).toEqual(['n']);
    const tooLong = hermes.parse(`${sized(2 ** 24 + 1)}${ping}`);
    expect(tooLong.toolCalls.map((found) => found.name)).toEqual(['ping']);
    expect(tooLong.errors).toMatchObject([{ kind: 'limit', start: 0, end: 11 + 2 ** 24 }]);
  });
});

describe('errors say what is wrong and where', () => {
  test.each([
    ['Hm <tool_call>{"name" 1}', 'bad-json', 3, 22, 'No tool call: not JSON, expected a colon at offset 22, found "1"'],
    [
      '<tool_call>{"a": 1}</tool_call>',
      'bad-name',
      0,
      19,
      'No tool call: "name" must be a non-blank string at offset 19',
    ],
    [
      '<tool_call>{"name": "n", "arguments": 1}',
      'bad-arguments',
      0,
      40,
      'No tool call: "arguments" must be a JSON object at offset 40',
    ],
    ['<tool_call> 👋', 'bad-structure', 0, 12, 'No tool call: expected { at offset 12, found "👋"'],
    [
      '<tool_call>{"name": "n"} .',
      'bad-structure',
      0,
      25,
      'No tool call: expected </tool_call> at offset 25, found "."',
    ],
    ['<tool_call> ', 'truncated', 0, 12, 'No tool call: the text ended, expected { at offset 12'],
    [
      '<tool_call>{"name": tr</s>',
      'truncated',
      0,
      22,
      'No tool call: the text ended, expected a JSON value at offset 22',
    ],
  ])('%s', (text, kind, start, end, message) => {
    expect(hermes.parse(text).errors).toEqual([{ kind, start, end, message }]);
  });

  test('a cut by the length limit is told as such', () => {
    const stream = hermes.stream();
    stream.feed('<tool_call>{"name": "a');
    const errors = stream.finish('length').flatMap((event) => (event.type === 'error' ? [event.error] : []));
    expect(errors[0]?.message).toMatch(/\(length limit\)$/);
    expect(hermes.parse('<tool_call>', { finishReason: 'length' }).errors[0]?.message).toMatch(/length limit/);
  });
});

describe('commit modes', () => {
  const text = 'Hi.\n<tool_call>{"name": "n", "arguments": {"a": "bc"}}</tool_call>';

  test('call: nothing of a call before all of it', () => {
    const events = eventsOf([...text]);
    expect(typesOf(events.filter((event) => event.type !== 'content'))).toEqual([
      'call-start',
      'call-arguments',
      'call-end',
    ]);
    expect(typesOf(eventsOf([text.slice(0, -1)]))).toContain('call-end');
  });

  test('eager: the name when it is read, the arguments as they come', () => {
    const stream = hermes.stream({ commit: 'eager', idFactory: () => 'id' });
    expect(stream.feed('Hi.\n<tool_call>{"name": "n')).toEqual([{ type: 'content', text: 'Hi.' }]);
    expect(stream.feed('"')).toEqual([{ type: 'call-start', index: 0, id: 'id', name: 'n' }]);
    expect(stream.feed(', "arguments": {"a": "b\n')).toEqual([
      { type: 'call-arguments', index: 0, delta: '{"a": "b\\n' },
    ]);
    expect(stream.feed('c"}')).toEqual([{ type: 'call-arguments', index: 0, delta: 'c"}' }]);
    expect(stream.feed('}</tool_cal')).toEqual([]);
    expect(stream.feed('l>')).toEqual([{ type: 'call-end', index: 0, arguments: '{"a": "b\\nc"}' }]);
    expect(stream.finish()).toEqual([]);
  });

  test('eager: arguments before the name wait for it', () => {
    const stream = hermes.stream({ commit: 'eager', idFactory: () => 'id' });
    expect(stream.feed('<tool_call>{"arguments": {"a": 1}, "name": "n')).toEqual([]);
    expect(typesOf(stream.feed('"'))).toEqual(['call-start', 'call-arguments']);
  });

  test('eager: a call that breaks is withdrawn, its text follows as content, its index and id are used again', () => {
    const broken = '<tool_call>{"name": "n", "arguments": {"a": 1';
    const stream = hermes.stream({ commit: 'eager' });
    const [start] = stream.feed(broken);
    const events = [...stream.feed(`!}</tool_call>${ping}`), ...stream.finish()];
    expect(events[0]).toEqual({ type: 'call-abort', index: 0, text: broken });
    expect(events[1]).toMatchObject({ type: 'error', error: { kind: 'bad-json', end: broken.length } });
    expect(foldEvents(events)).toMatchObject({ content: `${broken}!}</tool_call>`, toolCalls: [{ name: 'ping' }] });
    expect(start).toMatchObject({ index: 0, id: foldEvents(events).toolCalls[0]?.id });
  });

  test('eager: a cut call is withdrawn at the end', () => {
    const events = eventsOf(['<tool_call>{"name": "n", ', '"arguments": {"a": "rm'], { commit: 'eager' });
    expect(typesOf(events)).toEqual(['call-start', 'call-arguments', 'call-abort', 'error', 'content']);
  });
});

describe('streams', () => {
  test('halves of a surrogate pair are never told apart', () => {
    const text = `👋 ${call('{"name": "n", "arguments": {"a": "👋"}}')}`;
    for (const commit of ['call', 'eager'] as const) {
      const events = eventsOf(text.split(''), { commit });
      for (const event of events) expect(JSON.stringify(event)).not.toMatch(/\\ud[89ab]/i);
      expect(foldEvents(events)).toEqual(hermes.parse(text, { idFactory: () => 'id' }));
    }
    expect(hermes.parse('lone \ud83d').content).toBe('lone \ud83d');
  });

  test('ids are call_ and 24 hexadecimal digits, and never repeat', () => {
    const ids = hermes.parse(ping.repeat(50)).toolCalls.map((found) => found.id);
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^call_[0-9a-f]{24}$/);
    const given = hermes.parse(ping.repeat(3), { idFactory: () => '' }).toolCalls.map((found) => found.id);
    expect(new Set(given).size).toBe(3);
    expect(given).not.toContain('');
  });

  test.each(['call', 'eager'] as const)('%s: where the id factory throws, the rest is content', (commit) => {
    const text = `Hi. ${ping} Bye.`;
    const idFactory = (): string => {
      throw new Error('no ids today');
    };
    for (const pieces of [[text], text.split('')]) {
      const result = foldEvents(eventsOf(pieces, { commit, idFactory }));
      expect(result).toMatchObject({ content: text, toolCalls: [], errors: [{ kind: 'internal', start: 4 }] });
      expect(result.errors[0]?.message).toContain('no ids today');
    }
  });

  test('a stream that was finished says so', () => {
    const stream = hermes.stream();
    stream.finish();
    expect(() => stream.feed('x')).toThrow(
      expect.objectContaining({ code: 'parser.finished', hint: expect.any(String) }),
    );
  });
});

describe('writing', () => {
  test('calls as the models write them', () => {
    const calls = [
      { name: 'a', arguments: { city: 'São Paulo', n: [1, null, -0, 1e21], o: { '"': true }, skipped: undefined } },
      { name: 'b', arguments: ' {"big": 123456789012345678901234567890}\n' },
    ];
    expect(hermes.render(calls, { content: 'Looking.\n\n' })).toBe(
      'Looking.\n' +
        '<tool_call>\n{"name": "a", "arguments": {"city": "São Paulo", "n": [1, null, 0, 1e+21], "o": {"\\"": true}}}\n</tool_call>\n' +
        '<tool_call>\n{"name": "b", "arguments": {"big": 123456789012345678901234567890}}\n</tool_call>',
    );
    expect(hermes.render([], { content: 'Only words.\n' })).toBe('Only words.\n');
    expect(hermes.render([])).toBe('');
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  test.each([
    ['a blank name', [{ name: ' ', arguments: {} }], {}],
    ['a name with white space around', [{ name: ' a', arguments: {} }], {}],
    ['arguments that are no object', [{ name: 'a', arguments: '[]' }], {}],
    ['arguments that are no JSON', [{ name: 'a', arguments: "{'a': 1}" }], {}],
    ['a number that JSON lacks', [{ name: 'a', arguments: { n: Number.POSITIVE_INFINITY } }], {}],
    ['a bigint', [{ name: 'a', arguments: { n: 1n } }], {}],
    ['a cycle', [{ name: 'a', arguments: cyclic }], {}],
    ['a call in the content', [{ name: 'a', arguments: {} }], { content: ping }],
    ['an open call in the content', [{ name: 'a', arguments: {} }], { content: '<tool_call>{"name": "b"}' }],
    ['an end-of-turn token at the end of lone content', [], { content: 'Bye.</s>' }],
  ])('refuses %s', (_title, calls, options) => {
    expect(hermes.canRender(calls, options)).toBe(false);
    expect(() => hermes.render(calls, options)).toThrow(
      expect.objectContaining({ name: 'UnrenderableError', code: 'parser.unrenderable', hint: expect.any(String) }),
    );
  });

  test('content that only mentions the tag is fine', () => {
    const text = hermes.render([{ name: 'a', arguments: {} }], { content: 'I use <tool_call> now.' });
    expect(hermes.parse(text)).toMatchObject({ content: 'I use <tool_call> now.', toolCalls: [{ name: 'a' }] });
  });
});
