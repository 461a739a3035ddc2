import { describe, expect, test } from '@jest/globals';
import { foldEvents, type ParseResult } from '@talaria/tool-call-parsers';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import { llama3Json } from '@talaria/tool-call-parsers/llama3_json';
import { minimax } from '@talaria/tool-call-parsers/minimax';
import { mistral } from '@talaria/tool-call-parsers/mistral';
import { xlam } from '@talaria/tool-call-parsers/xlam';
import { twoWaySplits } from '../contract/chunkings.ts';
import { countingIds, streamPieces, streamResult } from '../contract/stream-run.ts';

const calls = [1, 2, 3].map((n) => ({ name: 'a', arguments: { n } }));

/** What `text` says to a caller whose ids are made so, read whole and in single units. */
function readWith(parser: typeof hermes, text: string, makeId: () => unknown): ParseResult {
  const idFactory = makeId as () => string;
  const whole = parser.parse(text, { idFactory });
  for (const commit of ['call', 'eager'] as const) {
    const stream = parser.stream({ idFactory, commit });
    const events = [...text.split('').flatMap((unit) => stream.feed(unit)), ...stream.finish()];
    const { errors, ...said } = foldEvents(events);
    expect(said).toEqual({ content: whole.content, toolCalls: whole.toolCalls });
    // Eager mode asks for an id earlier, so a factory that fails does so at another place.
    expect(errors.map((error) => error.kind)).toEqual(whole.errors.map((error) => error.kind));
  }
  return whole;
}

describe.each([hermes, mistral])('$name: an id factory', (parser) => {
  const text = parser.render(calls);

  test.each([[5], [{}], [null], [undefined], [''], [' '], ['x'.repeat(100_000)]])(
    'that gives %p each time: all ids are text, and none is there twice',
    (id) => {
      const { toolCalls, errors } = readWith(parser, text, () => id);
      expect(errors).toEqual([]);
      for (const call of toolCalls) expect(call.id).toEqual(expect.stringMatching(/./));
      expect(new Set(toolCalls.map((call) => call.id)).size).toBe(calls.length);
    },
  );

  test.each([
    ['an error', new Error('no ids')],
    ['text', 'no ids'],
    ['nothing', undefined],
    ['an object without a text', Object.create(null) as object],
    ['a symbol', Symbol('no')],
  ])('that throws %s loses no text', (_title, thrown) => {
    const throwIt = (): never => {
      throw thrown;
    };
    const result = readWith(parser, text, throwIt);
    expect(result).toMatchObject({ content: text, toolCalls: [], errors: [{ kind: 'internal', start: 0 }] });
  });

  test('that gives what is no text at all loses none either', () => {
    expect(readWith(parser, text, () => Symbol('id'))).toMatchObject({ content: text, toolCalls: [] });
  });

  test('that feeds the stream it serves does no harm', () => {
    const stream = parser.stream({
      idFactory: () => {
        stream.feed('more');
        return 'id';
      },
    });
    expect(() => [...stream.feed(text), ...stream.finish()]).not.toThrow();
  });
});

test('a stream that got nothing, or nothing but empty text, says nothing', () => {
  for (const commit of ['call', 'eager'] as const) {
    const stream = hermes.stream({ commit });
    expect([stream.feed(''), stream.feed('')]).toEqual([[], []]);
    expect(stream.finish()).toEqual([]);
    expect(() => stream.finish()).toThrow(expect.objectContaining({ code: 'parser.finished' }));
    expect(hermes.stream({ commit }).finish()).toEqual([]);
  }
});

describe('eager: a call that says a thing twice is withdrawn, also where one delta holds the second and the end', () => {
  const bodies = [
    '{"arguments": {"a": 1}, "name": "n", "arguments": {"b": 2}}',
    '{"name": "n", "arguments": {"a": 1}, "name": "m"}',
    '{"name": "n", "parameters": {"a": 1}, "arguments": {"b": 2}}',
  ];
  const frames = [
    [hermes, '<tool_call>', '</tool_call>'],
    [mistral, '[TOOL_CALLS][', ', {"name": "last"}]'],
    [minimax, '<tool_calls>\n', '\n{"name": "last"}\n</tool_calls>'],
    [llama3Json, '', '; {"name": "last", "parameters": {}}'],
    [xlam, '```json\n[', ', {"name": "last", "arguments": {}}]\n```'],
  ] as const;

  test.each(frames.map((frame) => [frame[0].name, ...frame] as const))('%s', (_name, parser, lead, tail) => {
    for (const body of bodies) {
      const text = lead + body + tail;
      const whole = parser.parse(text, { idFactory: countingIds() });
      expect(whole.errors).toEqual([]);
      for (const pieces of twoWaySplits(text)) expect(streamResult(parser, pieces, 'eager')).toEqual(whole);
    }
  });

  test('what was shown is taken back before the whole call is said', () => {
    const [lead, rest] = ['<tool_call>{"name": "n", "arguments": {"a": 1}', ', "arguments": {"b": 2}}</tool_call>'];
    expect(streamPieces(hermes, [lead, rest], 'eager', { idFactory: () => 'id' })).toEqual([
      { type: 'call-start', index: 0, id: 'id', name: 'n' },
      { type: 'call-arguments', index: 0, delta: '{"a": 1}' },
      { type: 'call-abort', index: 0, text: lead + rest },
      { type: 'call-start', index: 0, id: 'id', name: 'n' },
      { type: 'call-arguments', index: 0, delta: '{"b": 2}' },
      { type: 'call-end', index: 0, arguments: '{"b": 2}' },
    ]);
  });
});
