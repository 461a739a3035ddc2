import assert from 'node:assert/strict';
import type { ChatCompletion, ChatModel, ChatRequest, ChatStreamEvent } from '../chat-model.ts';

/** Reads a stream to its end. */
export async function readAll(
  model: ChatModel,
  request: ChatRequest,
  signal?: AbortSignal,
): Promise<{ readonly completion: ChatCompletion; readonly events: readonly ChatStreamEvent[] }> {
  const events: ChatStreamEvent[] = [];
  for await (const event of model.stream(request, { signal })) events.push(event);
  const last = events.at(-1);
  assert.equal(last?.type, 'end', 'the last event of a stream is "end"');
  return { completion: last.completion, events };
}

/** The text of all pieces of a kind. */
export function joinText(events: readonly ChatStreamEvent[], type: 'reasoning-delta' | 'text-delta'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('');
}
