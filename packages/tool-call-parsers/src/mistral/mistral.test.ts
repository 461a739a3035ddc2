import { describe, expect, test } from '@jest/globals';
import { foldEvents } from '@talaria/tool-call-parsers';
import { mistral, toMistralId } from '@talaria/tool-call-parsers/mistral';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

const marker = '[TOOL_CALLS]';

describe('the three layouts', () => {
  test.each([
    ['compact', `${marker}a{"b": 1}`],
    ['compact with white space around the name', `${marker} \na \t\n{"b": 1}`],
    ['compact with [ARGS]', `${marker}a[ARGS]{"b": 1}`],
    ['compact with white space around [ARGS]', `${marker} a [ARGS] {"b": 1}`],
    ['compact with an id', `${marker}a[CALL_ID]abcdefghi[ARGS]{"b": 1}`],
    ['compact with an id and white space', `${marker} a [CALL_ID] abcdefghi [ARGS] {"b": 1}`],
    ['an object', `${marker}{"name": "a", "arguments": {"b": 1}}`],
    ['an object with the synonym', `${marker} {"parameters": {"b": 1}, "name": "a"}`],
    ['an array', `${marker} [{"name": "a", "arguments": {"b": 1}}]`],
    ['an array with white space', `${marker}\n[\n  {"name": "a", "arguments": {"b": 1}}\n]\n`],
    ['an array without its end', `${marker}[{"name": "a", "arguments": {"b": 1}}`],
    ['an array with a comma before its end', `${marker}[{"name": "a", "arguments": {"b": 1}},]`],
    ['an array with encoded arguments', `${marker}[{"name": "a", "arguments": "{\\"b\\": 1}"}]`],
    ['an array behind an end-of-turn token', `${marker}[{"name": "a", "arguments": {"b": 1}}]</s>`],
  ])('a call: %s', (_title, text) => {
    expect(readCalls(mistral, text)).toEqual({ content: null, calls: [['a', { b: 1 }]] });
  });

  test('names of any script and of servers', () => {
    expect(readCalls(mistral, `${marker}mcp__mail-box__list{}${marker}погода:x/y.z{}`).calls).toEqual([
      ['mcp__mail-box__list', {}],
      ['погода:x/y.z', {}],
    ]);
  });

  test('raw control characters in arguments are escaped, all else stays', () => {
    const [call] = readEveryWay(mistral, `${marker}a{ "b" :\n"x\ny\t\\u00e9", "c": 1.0 }`).toolCalls;
    expect(call?.arguments).toBe('{ "b" :\n"x\\ny\\t\\u00e9", "c": 1.0 }');
  });

  test('layouts may follow each other', () => {
    const text = `Hm. ${marker}a{} ${marker} [{"name": "b"}, {"name": "c"}] ${marker}{"name": "d"}\n${marker}e[ARGS]{}`;
    const { content, calls } = readCalls(mistral, text);
    expect([content, calls.map(([name]) => name)]).toEqual(['Hm.', ['a', 'b', 'c', 'd', 'e']]);
  });
});

describe('text beside calls', () => {
  test.each([
    ['behind a compact call', `${marker}a{"b": "]}"} that is all`, 'that is all'],
    ['a brace too many', `${marker}a{}}`, '}'],
    ['behind an array', `${marker}[{"name": "a"}]\n\nWaiting.`, 'Waiting.'],
    ['a comma behind a compact call', `${marker}a{}, `, ','],
    ['a bracket behind an object', `${marker}{"name": "a"}]`, ']'],
    ['a bracket behind the bracket', `${marker}[{"name": "a"}]]`, ']'],
    ['a comma behind the bracket', `${marker}[{"name": "a"}],`, ','],
    ['a marker that is doubled', `${marker}${marker}a{}`, marker],
    ['a marker in brackets', `[${marker}a{}]`, '[\n]'],
    ['a call behind a broken one', `${marker}b{"x": }\n${marker}a{}`, `${marker}b{"x": }`],
    ['a call behind an open string', `${marker}b{"x": "open\n${marker}a{"b": 1}`, `${marker}b{"x": "open`],
    ['a call behind a string in brackets', `${marker} ["so ${marker}a{"b": 1}`, `${marker} ["so`],
  ])('%s', (_title, text, content) => {
    const reading = readCalls(mistral, text);
    expect(reading.content).toBe(content);
    expect(reading.calls.map(([name]) => name)).toEqual(['a']);
  });
});

describe('what is no call', () => {
  test.each([
    ['alone', marker, 'truncated', 12, 'the text ended, expected a name at offset 12'],
    ['a name only', `${marker}a `, 'truncated', 14, 'the text ended, expected { at offset 14'],
    ['a cut name', `${marker}a`, 'truncated', 13, 'the text ended, expected a name at offset 13'],
    ['words', `${marker} are used`, 'bad-structure', 17, 'expected { at offset 17, found "u"'],
    ['no name', `${marker} = {}`, 'bad-structure', 13, 'expected a name at offset 13, found "="'],
    ['an array as arguments', `${marker}a[1]`, 'bad-structure', 13, 'expected { at offset 13, found "["'],
    ['an id and no more', `${marker}a[CALL_ID]b `, 'truncated', 24, 'the text ended, expected { at offset 24'],
    ['an id that is none', `${marker}a[CALL_ID]`, 'truncated', 22, 'the text ended, expected a name at offset 22'],
    [
      'broken arguments',
      `${marker}a{"b": }`,
      'bad-json',
      19,
      'not JSON, expected a JSON value at offset 19, found "}"',
    ],
    ['cut arguments', `${marker}a{"b": 1`, 'truncated', 20, 'the text ended, expected a JSON value at offset 20'],
    ['an object without name', `${marker}{"b": 1}`, 'bad-name', 20, '"name" must be a non-blank string at offset 20'],
    ['an empty array', `${marker}[]`, 'bad-structure', 13, 'expected { at offset 13, found "]"'],
    ['an open array', `${marker}[`, 'truncated', 13, 'the text ended, expected { at offset 13'],
    ['a word in brackets', `${marker} [x]`, 'bad-structure', 14, 'expected { at offset 14, found "x"'],
  ])('%s', (_title, text, kind, end, reason) => {
    const { content, toolCalls, errors } = readEveryWay(mistral, text);
    expect([content, toolCalls]).toEqual([text, []]);
    expect(errors).toEqual([{ kind, start: 0, end, message: `No tool call: ${reason}` }]);
  });

  test('a name that is too long', () => {
    expect(readCalls(mistral, `${marker}${'a'.repeat(256)}{}`).calls).toHaveLength(1);
    for (const length of [257, 10_000]) {
      const { toolCalls, errors } = readEveryWay(mistral, `${marker}${'a'.repeat(length)}{}`);
      expect(toolCalls).toEqual([]);
      expect(errors).toHaveLength(1);
    }
  });
});

describe('ids', () => {
  test('of other providers become the same each time, and differ', () => {
    const foreign = Array.from({ length: 5000 }, (_, index) => `call_${index.toString(16).padStart(24, '0')}`);
    const made = foreign.map(toMistralId);
    expect(new Set(made).size).toBe(5000);
    expect(foreign.map(toMistralId)).toEqual(made);
    expect(made.every((id) => /^[a-z0-9]{9}$/.test(id))).toBe(true);
    expect(toMistralId('ABCdef123')).toBe('ABCdef123');
  });

  test('are nine letters and digits', () => {
    const calls = mistral.parse(`${marker}a{}`.repeat(200)).toolCalls;
    expect(new Set(calls.map((call) => call.id)).size).toBe(200);
    for (const call of calls) expect(call.id).toMatch(/^[A-Za-z0-9]{9}$/);
  });

  test('of that form are kept, others are replaced', () => {
    const text = ['ABCdef123', 'short', 'ABCdef123', 'call_0123456789', 'ABCdef12-'].map(
      (id) => `${marker}a[CALL_ID]${id}[ARGS]{}`,
    );
    const ids = ['id1', 'id2', 'id3', 'id4'].map(toMistralId);
    expect(readEveryWay(mistral, text.join('')).toolCalls.map((call) => call.id)).toEqual(['ABCdef123', ...ids]);
    for (const call of mistral.parse(text.join('')).toolCalls) expect(call.id).toMatch(/^[A-Za-z0-9]{9}$/);
  });
});

describe('eager streams', () => {
  test('a compact call starts with its name and id, and its strings flow', () => {
    const stream = mistral.stream({ commit: 'eager' });
    expect(stream.feed(`${marker}run[CALL_ID]abcdefghi[AR`)).toEqual([]);
    expect(stream.feed('GS]{"command": "ls ')).toEqual([
      { type: 'call-start', index: 0, id: 'abcdefghi', name: 'run' },
      { type: 'call-arguments', index: 0, delta: '{"command": "ls ' },
    ]);
    expect(stream.feed('-l')).toEqual([{ type: 'call-arguments', index: 0, delta: '-l' }]);
    expect(stream.feed('"}').map((event) => event.type)).toEqual(['call-arguments', 'call-end']);
  });

  test('each element of an array is said where it ends', () => {
    const stream = mistral.stream({ commit: 'eager' });
    const typesOf = (delta: string): string[] => stream.feed(delta).map((event) => event.type);
    expect(typesOf(`${marker} [{"name": "a"}`)).toEqual(['call-start', 'call-arguments', 'call-end']);
    expect(typesOf(', {"name": "b", "arguments": {"c": "d')).toEqual(['call-start', 'call-arguments']);
    expect(typesOf('"}')).toEqual(['call-arguments']);
    expect(typesOf('}')).toEqual(['call-end']);
  });

  test('a fault withdraws the call', () => {
    const events = eagerEvents(mistral, `${marker}a{"b": 1]`);
    expect(events.find((event) => event.type === 'call-abort')).toEqual({
      type: 'call-abort',
      index: 0,
      text: `${marker}a{"b": 1`,
    });
    expect(foldEvents(events).toolCalls).toEqual([]);
  });
});

test('calls are written in the compact layout, behind the content at once', () => {
  const calls = [
    { name: 'a', arguments: { b: [1] } },
    { name: 'c', arguments: '{"d":1.0}' },
  ];
  expect(mistral.render(calls, { content: 'Hm.' })).toBe(`Hm.${marker}a{"b": [1]}${marker}c{"d":1.0}`);
  expect(mistral.canRender([{ name: 'a b', arguments: {} }])).toBe(false);
  expect(mistral.canRender([{ name: 'a[ARGS]', arguments: {} }])).toBe(false);
});
