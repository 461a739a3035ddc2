import { ModelError, type RunEventBody } from '@talaria/core';
import type { ChatCompletion, ChatModel, ChatRequest } from '@talaria/model-client';

/** Options of {@link askModel}. */
export interface AskModelOptions {
  readonly turn: number;
  readonly isStreaming: boolean;
  readonly emit: (event: RunEventBody) => void;
  readonly signal: AbortSignal;
}

/** Asks once, whole or piece by piece. @throws ModelError `model.stream-cut` for a stream without an end */
export async function askModel(
  model: ChatModel,
  request: ChatRequest,
  options: AskModelOptions,
): Promise<ChatCompletion> {
  const { turn, isStreaming, emit, signal } = options;
  if (!isStreaming) return model.complete(request, { signal });
  for await (const event of model.stream(request, { signal })) {
    if (event.type === 'end') return event.completion;
    if (event.type !== 'tool-call-delta') emit({ type: event.type, turn, text: event.text });
  }
  throw new ModelError(`The stream of ${model.name} ended without its last event`, {
    code: 'model.stream-cut',
    retryable: true,
    hint: 'Ask again; if it happens each time, ask without streaming.',
  });
}
