import { describe, expect, test } from '@jest/globals';
import { hermes } from '../hermes/index.ts';
import type { AnswerEvent } from '../reasoning/answer-parser.ts';
import type { ChatCompletionChunk, ChatCompletionUsage } from './chat-completion-wire.ts';
import { type ChunkMapperOptions, createChunkMapper } from './chunk-mapper.ts';

const head = { model: 'nous-hermes', id: 'chatcmpl-1', created: 1_700_000_000 };
const usage: ChatCompletionUsage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

/** All chunks of an answer, without what is the same in each. */
function choicesOf(
  events: readonly AnswerEvent[],
  reason?: 'stop' | 'length',
  options: Partial<ChunkMapperOptions> = {},
): readonly (readonly [delta: unknown, finishReason: unknown])[] {
  const mapper = createChunkMapper({ ...head, ...options });
  const chunks = [...mapper.map(events), ...mapper.finish(reason)];
  return chunks.flatMap((chunk) => chunk.choices.map((choice) => [choice.delta, choice.finish_reason]));
}

function start(index: number, name = 'ping'): AnswerEvent & { readonly type: 'call-start' } {
  return { type: 'call-start', index, id: `id-${name}`, name };
}

const end: AnswerEvent = { type: 'call-end', index: 0, arguments: '{}' };
const abort: AnswerEvent = { type: 'call-abort', index: 0, text: '<tool_call>…' };
const piece = (delta: string): AnswerEvent => ({ type: 'call-arguments', index: 0, delta });
const content = (text: string): AnswerEvent => ({ type: 'content', text });

describe('the chunks of an answer', () => {
  test('tell the role once, then text, calls and the reason', () => {
    const events = [content('Now. '), start(0), piece('{"a": '), piece('1}'), end, content('\nDone.')];
    expect(choicesOf(events)).toEqual([
      [{ role: 'assistant', content: '' }, null],
      [{ content: 'Now. ' }, null],
      [
        { tool_calls: [{ index: 0, id: 'id-ping', type: 'function', function: { name: 'ping', arguments: '' } }] },
        null,
      ],
      [{ tool_calls: [{ index: 0, function: { arguments: '{"a": ' } }] }, null],
      [{ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }, null],
      [{ content: '\nDone.' }, null],
      [{}, 'tool_calls'],
    ]);
  });

  test('tell of reasoning in a field of its own', () => {
    expect(choicesOf([{ type: 'reasoning', text: 'Hm.' }, start(0), piece('{}'), end]).slice(0, 2)).toEqual([
      [{ role: 'assistant', content: null }, null],
      [{ reasoning_content: 'Hm.' }, null],
    ]);
  });

  test.each([
    ['nothing', [], [[{ role: 'assistant', content: '' }, null]]],
    [
      'thoughts alone',
      [{ type: 'reasoning', text: 'Hm.' }],
      [
        [{ role: 'assistant', content: null }, null],
        [{ reasoning_content: 'Hm.' }, null],
        [{ content: '' }, null],
      ],
    ],
  ] as const)('of %s are an empty text', (_what, events, choices) => {
    expect(choicesOf(events)).toEqual([...choices, [{}, 'stop']]);
    expect(choicesOf(events, 'length')).toEqual([...choices, [{}, 'length']]);
  });

  test('number the calls by their position in the response', () => {
    const events = [start(0, 'a'), piece('{}'), end, start(1, 'b'), piece('{}'), { ...end, index: 1 }];
    expect(toolCallIndices(createChunkMapper(head).map(events))).toEqual([0, 0, 1, 1]);
  });

  test('of a withdrawn call stop where it stops, and the next call has a fresh index and id', () => {
    const again = { ...start(0, 'b'), id: 'id-a' };
    const events = [start(0, 'a'), piece('{"x'), abort, content('<tool_call>{"x!'), again, piece('{}'), end];
    const chunks = createChunkMapper(head).map(events);
    expect(toolCallIndices(chunks)).toEqual([0, 0, 1, 1]);
    const calls = chunks.flatMap((chunk) => chunk.choices.flatMap(({ delta }) => delta.tool_calls ?? []));
    expect(calls.map((call) => call.id)).toEqual(['id-a', undefined, 'id-a_1', undefined]);
    expect(calls.map((call) => call.function.arguments)).toEqual(['', '{"x', '', '{}']);
  });

  test.each([
    ['a whole call', [start(0), end], 'stop', 'tool_calls'],
    ['a whole call, cut after it', [start(0), end, content('\nAnd')], 'length', 'tool_calls'],
    ['a withdrawn call', [start(0), abort, content('x')], 'stop', 'stop'],
    ['a call cut in the middle', [start(0), piece('{"a'), abort, content('x')], 'length', 'length'],
    ['a whole call and one cut in the middle', [start(0), end, start(1), abort], 'length', 'length'],
    ['a withdrawn call and a whole one', [start(0), abort, start(0), end], 'stop', 'tool_calls'],
    ['text', [content('x')], 'stop', 'stop'],
    ['cut text', [content('x')], 'length', 'length'],
  ] as const)('of %s end with the right reason', (_what, events, reason, expected) => {
    expect(choicesOf(events, reason).at(-1)).toEqual([{}, expected]);
  });

  test('leave out faults of the text', () => {
    const error = { kind: 'bad-json', start: 0, end: 3, message: 'No tool call' } as const;
    expect(createChunkMapper(head).map([{ type: 'error', error }])).toEqual([]);
  });

  test('carry the same head', () => {
    const mapper = createChunkMapper({ ...head, systemFingerprint: 'fp_1', choiceIndex: 2 });
    expect(mapper.map([content('x')])[1]).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'nous-hermes',
      system_fingerprint: 'fp_1',
      choices: [{ index: 2, delta: { content: 'x' }, logprobs: null, finish_reason: null }],
    });
  });

  test('tell the usage last, where it was asked for and is known', () => {
    const asked = createChunkMapper({ ...head, includeUsage: true });
    const chunks = [...asked.map([content('x')]), ...asked.finish('stop', usage)];
    expect(chunks.map((chunk) => chunk.usage)).toEqual([null, null, null, usage]);
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(createChunkMapper({ ...head, includeUsage: true }).finish()).toHaveLength(2);
    const unasked = createChunkMapper(head).finish('stop', usage);
    expect(unasked.every((chunk) => !('usage' in chunk) && chunk.choices.length === 1)).toBe(true);
  });

  test('have an id and a time by default, the same in all', () => {
    const mapper = createChunkMapper({ model: 'm' });
    const chunks = [...mapper.map([content('x')]), ...mapper.finish()];
    expect(new Set(chunks.map((chunk) => `${chunk.id} ${chunk.created}`)).size).toBe(1);
    expect(chunks[0]?.id).toMatch(/^chatcmpl-[\da-f]{24}$/);
    expect(chunks[0]?.created).toBeGreaterThan(1_700_000_000);
    expect(Number.isInteger(chunks[0]?.created)).toBe(true);
    expect(createChunkMapper({ model: 'm' }).finish()[0]?.id).not.toBe(chunks[0]?.id);
  });

  test('end once', () => {
    const mapper = createChunkMapper(head);
    mapper.finish();
    for (const use of [() => mapper.map([]), () => mapper.finish()]) {
      expect(use).toThrow(expect.objectContaining({ code: 'parser.finished' }));
    }
  });
});

test('a proxy hands on what a parser reads, delta by delta', () => {
  const mapper = createChunkMapper(head);
  const stream = hermes.stream({ commit: 'eager', idFactory: () => 'call_1' });
  const chunks = ['Hi. <tool_', 'call>{"name": "run", "argum', 'ents": {"command": "ls', '"}}</tool_call>'].map(
    (delta) => mapper.map(stream.feed(delta)),
  );
  const last = [...mapper.map(stream.finish()), ...mapper.finish()];
  expect(chunks.map((list) => list.length > 0)).toEqual([true, true, true, true]);
  expect(toolCallIndices(chunks.flat())).toEqual([0, 0, 0]);
  expect(last.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
});

function toolCallIndices(chunks: readonly ChatCompletionChunk[]): readonly number[] {
  return chunks
    .flatMap((chunk) => chunk.choices.flatMap(({ delta }) => delta.tool_calls ?? []))
    .map((call) => call.index);
}
