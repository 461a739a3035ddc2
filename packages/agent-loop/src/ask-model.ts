import { ModelError, type RunEventBody } from '@talaria/core';
import type { ChatCompletion, ChatModel, ChatRequest } from '@talaria/model-client';
import type { TextFilter } from './text-filter.ts';

/** How an answer is told piece by piece. */
export interface Telling {
  readonly turn: number;
  /** Keeps calls that are written as text from being shown. */
  readonly filter: TextFilter;
  readonly emit: (event: RunEventBody) => void;
}

/**
 * Asks once; piece by piece where somebody is to be told.
 * @throws ModelError `model.stream-cut` for a stream without an end
 */
export async function askModel(
  model: ChatModel,
  request: ChatRequest,
  { telling, signal }: { readonly telling: Telling | null; readonly signal: AbortSignal },
): Promise<ChatCompletion> {
  if (telling === null) return model.complete(request, { signal });
  const { turn, filter, emit } = telling;
  function tell(type: 'text-delta' | 'reasoning-delta', text: string): void {
    if (text !== '') emit({ type, turn, text });
  }
  for await (const event of model.stream(request, { signal })) {
    switch (event.type) {
      case 'text-delta':
        tell('text-delta', filter.feed(event.text));
        break;
      case 'reasoning-delta':
        tell('reasoning-delta', event.text);
        break;
      case 'tool-call-delta':
        break;
      case 'end':
        tell('text-delta', filter.finish());
        return event.completion;
    }
  }
  throw new ModelError(`The stream of ${model.name} ended without its last event`, {
    code: 'model.stream-cut',
    retryable: true,
    hint: 'Ask again; if it happens each time, ask without streaming.',
  });
}
