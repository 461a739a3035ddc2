import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hermes } from '../src/hermes/index.ts';
import {
  type ChatCompletionChunk,
  type ChatCompletionMessage,
  type ChatToolCall,
  createChunkMapper,
  toChatCompletion,
} from '../src/openai/index.ts';
import type { AnswerEvent } from '../src/reasoning/answer-parser.ts';
import { foldEvents } from '../src/stream/fold-events.ts';
import type { CommitMode, StreamEvent } from '../src/tool-call-parser.ts';

const head = { model: 'm', id: 'chatcmpl-1', created: 0 };

const soup = fc
  .array(
    fc.constantFrom(
      '<tool_call>',
      '</tool_call>',
      '<tool_',
      '{"name": "ping", "arguments": {}}',
      '{"name": "run", "arguments": {"command": "ls </tool_call>"}}',
      '{"arguments": {"a": [1, "\\u00e9"]}, "name": "late"}',
      '{"name": "twice", "arguments": "{\\"a\\": 1}"}',
      '{"name": "broken", "arguments": {"a": 1,}}',
      '{"name": "cut", "arguments": {"a": "',
      'text',
      ' ',
      '\n',
      '🙂',
      '<|im_end|>',
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));
const cuts = fc.array(fc.nat({ max: 300 }), { maxLength: 40 });
const reasons = fc.constantFrom('stop' as const, 'length' as const);

describe('a client that puts the chunks together', () => {
  test('has the result of the stream, for any text in any pieces', () => {
    fc.assert(
      fc.property(soup, cuts, reasons, (text, places, reason) => {
        const { chunks, events } = serve(text, places, 'call', reason);
        const result = foldEvents(events);
        const { message, finishReason } = accumulate(chunks);
        const whole = toChatCompletion(result, { ...head, finishReason: reason }).choices[0];
        expect(message).toEqual(whole?.message);
        expect(finishReason).toBe(whole?.finish_reason);
      }),
      { numRuns: 400 },
    );
  });

  test('has the same in eager mode, but for the calls that were withdrawn', () => {
    fc.assert(
      fc.property(soup, cuts, reasons, (text, places, reason) => {
        const { chunks, events } = serve(text, places, 'eager', reason);
        const result = foldEvents(events);
        const { message, finishReason } = accumulate(chunks);
        const withdrawn = withdrawnIndices(events);
        const survivors = (message.tool_calls ?? []).filter((_call, index) => !withdrawn.has(index));
        expect(survivors.map((call) => call.function)).toEqual(result.toolCalls.map(({ id: _id, ...call }) => call));
        const ids = (message.tool_calls ?? []).map((call) => call.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(message.content ?? '').toBe(result.content ?? '');
        const isUnsafe = reason === 'length' && withdrawn.size > 0;
        expect(finishReason).toBe(result.toolCalls.length > 0 && !isUnsafe ? 'tool_calls' : reason);
      }),
      { numRuns: 400 },
    );
  });
});

function serve(
  text: string,
  places: readonly number[],
  commit: CommitMode,
  reason: 'stop' | 'length',
): { readonly chunks: readonly ChatCompletionChunk[]; readonly events: readonly StreamEvent[] } {
  let count = 0;
  const stream = hermes.stream({ commit, idFactory: () => `call_${count++}` });
  const mapper = createChunkMapper(head);
  const events: StreamEvent[] = [];
  const chunks: ChatCompletionChunk[] = [];
  const take = (step: readonly StreamEvent[]): void => {
    events.push(...step);
    chunks.push(...mapper.map(step));
  };
  const sorted = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...sorted, text.length]) {
    take(stream.feed(text.slice(from, to)));
    from = to;
  }
  take(stream.finish(reason));
  chunks.push(...mapper.finish(reason));
  return { chunks, events };
}

/** Which calls on the wire were taken back, counting those that were. */
function withdrawnIndices(events: readonly AnswerEvent[]): ReadonlySet<number> {
  const withdrawn = new Set<number>();
  let started = 0;
  for (const event of events) {
    if (event.type === 'call-start') started += 1;
    else if (event.type === 'call-abort') withdrawn.add(started - 1);
  }
  return withdrawn;
}

/** What the client libraries do: strings are put behind each other, calls are found by their index. */
function accumulate(chunks: readonly ChatCompletionChunk[]): {
  readonly message: ChatCompletionMessage;
  readonly finishReason: string | null | undefined;
} {
  let content: string | null = null;
  let finishReason: string | null = null;
  const calls: { id: string; name: string; text: string }[] = [];
  const roles: string[] = [];
  for (const { choices } of chunks) {
    expect(choices).toHaveLength(1);
    for (const { delta, finish_reason: reason } of choices) {
      expect(finishReason).toBeNull();
      finishReason = reason;
      if (delta.role !== undefined) roles.push(delta.role);
      if (typeof delta.content === 'string') content = (content ?? '') + delta.content;
      for (const { index, id, type, function: called } of delta.tool_calls ?? []) {
        const known = calls[index];
        if (known === undefined) {
          expect(index).toBe(calls.length);
          expect(type).toBe('function');
          calls.push({ id: id ?? '', name: called.name ?? '', text: called.arguments });
        } else {
          expect([id, type, called.name]).toEqual([undefined, undefined, undefined]);
          known.text += called.arguments;
        }
      }
    }
  }
  expect(roles).toEqual(['assistant']);
  const toolCalls = calls.map(
    ({ id, name, text }): ChatToolCall => ({ id, type: 'function', function: { name, arguments: text } }),
  );
  const message = { role: 'assistant', content, refusal: null } as const;
  return { message: toolCalls.length > 0 ? { ...message, tool_calls: toolCalls } : message, finishReason };
}
