import { ModelError, redactSecrets, type Secret } from '@talaria/core';
import type { ChatCompletion, ChatModel, ChatRequest, ChatStreamEvent } from '../chat-model.ts';
import { openExchangeFile } from './exchange-file.ts';
import {
  encodeError,
  type RecordedExchange,
  type RecordedOutcome,
  requestJson,
  requestKey,
} from './recorded-exchange.ts';

/** Where a recording goes: one call per line, without the newline. */
export interface ExchangeSink extends AsyncDisposable {
  append(line: string): Promise<void>;
}

/** Options of {@link recordModel}. */
export interface RecordOptions {
  /** Taken out of every line. Keys are never part of a request; this is for what messages and extra bodies may hold. */
  readonly secrets?: readonly Secret[] | undefined;
}

/**
 * Wraps a model so that every exchange is appended to a file (or a sink) before its answer is given out. Answers and
 * errors of the endpoint are recorded; aborted calls, and streams that were left early, are not.
 * Owns the model and the file: disposing closes both.
 * @throws StateError `state.unwritable`
 */
export async function recordModel(
  model: ChatModel,
  target: string | ExchangeSink,
  options: RecordOptions = {},
): Promise<ChatModel> {
  const sink = typeof target === 'string' ? await openExchangeFile(target) : target;
  const { secrets = [] } = options;

  async function record(request: ChatRequest, outcome: RecordedOutcome): Promise<void> {
    const json = requestJson(request);
    const exchange: RecordedExchange = {
      schema: 'talaria.exchange/1',
      modelName: model.name,
      key: requestKey(json),
      request: json,
      outcome,
    };
    await sink.append(redactSecrets(JSON.stringify(exchange), secrets));
  }

  async function recordFailure(request: ChatRequest, error: unknown): Promise<void> {
    // A call after disposal asked nobody, and the file is closed.
    if (!(error instanceof ModelError) || error.code === 'model.closed') return;
    await record(request, { kind: 'error', error: encodeError(error) });
  }

  return {
    name: model.name,
    async complete(request, callOptions) {
      let completion: ChatCompletion;
      try {
        completion = await model.complete(request, callOptions);
      } catch (error) {
        await recordFailure(request, error);
        throw error;
      }
      await record(request, { kind: 'completion', completion });
      return completion;
    },
    async *stream(request, callOptions): AsyncGenerator<ChatStreamEvent> {
      try {
        for await (const event of model.stream(request, callOptions)) {
          if (event.type === 'end') await record(request, { kind: 'completion', completion: event.completion });
          yield event;
        }
      } catch (error) {
        await recordFailure(request, error);
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await sink[Symbol.asyncDispose]();
    },
  };
}
