import { canonicalJson, isJsonObject, type JsonObject, type Logger, StateError } from '@talaria/core';
import type { ChatCallOptions, ChatCompletion, ChatModel, ChatRequest } from '../chat-model.ts';
import { closedError } from '../closed-error.ts';
import { completionEvents } from '../completion-events.ts';
import { readExchanges } from './exchange-file.ts';
import { decodeError, type RecordedExchange, requestJson, requestKey } from './recorded-exchange.ts';

/** Options of {@link openReplayModel}. */
export interface ReplayOptions {
  /** @default the name of the recorded model */
  readonly name?: string | undefined;
  /** Hears `replay.torn-line`. @default silent */
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a recording as a model: each request is answered with what was recorded for an equal one, the first time with the
 * first answer, the second time with the second. Sends nothing anywhere. A request that was not recorded, or not so
 * often, throws StateError `state.replay-miss`.
 * @throws StateError `state.missing`, `state.unreadable`, `state.malformed`
 */
export async function openReplayModel(path: string, options: ReplayOptions = {}): Promise<ChatModel> {
  const exchanges = await readExchanges(path, options);
  const byKey = Map.groupBy(exchanges, (exchange) => exchange.key);
  const nextOccurrence = new Map<string, number>();
  const name = options.name ?? exchanges[0]?.modelName ?? 'replay';
  let isClosed = false;

  async function complete(request: ChatRequest, callOptions: ChatCallOptions = {}): Promise<ChatCompletion> {
    callOptions.signal?.throwIfAborted();
    if (isClosed) throw closedError(name);
    const json = requestJson(request);
    const key = requestKey(json);
    const recorded = byKey.get(key) ?? [];
    const occurrence = nextOccurrence.get(key) ?? 0;
    const exchange = recorded[occurrence];
    if (exchange === undefined) throw missError(path, json, recorded.length, exchanges);
    nextOccurrence.set(key, occurrence + 1);
    if (exchange.outcome.kind === 'error') throw decodeError(exchange.outcome.error);
    return exchange.outcome.completion;
  }

  return {
    name,
    complete,
    async *stream(request, callOptions = {}) {
      for (const event of completionEvents(await complete(request, callOptions))) {
        callOptions.signal?.throwIfAborted();
        yield event;
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
    },
  };
}

function missError(
  path: string,
  request: JsonObject,
  recordedCount: number,
  exchanges: readonly RecordedExchange[],
): StateError {
  const what =
    recordedCount > 0
      ? `was recorded ${recordedCount} times, and is asked once more`
      : `was not recorded${nearestDifference(request, exchanges)}`;
  return new StateError(`This request ${what} (${path})`, {
    code: 'state.replay-miss',
    hint: 'Ask exactly what was asked when it was recorded, or record it again.',
  });
}

/** Where the recorded request that is most alike differs first. */
function nearestDifference(request: JsonObject, exchanges: readonly RecordedExchange[]): string {
  let best: { readonly depth: number; readonly field: string } | undefined;
  for (const exchange of exchanges) {
    const difference = firstDifference(request, exchange.request);
    if (difference !== undefined && (best === undefined || difference.depth > best.depth)) best = difference;
  }
  return best === undefined ? '' : `; the nearest one differs at ${best.field}`;
}

function firstDifference(
  asked: JsonObject,
  recorded: JsonObject,
): { readonly depth: number; readonly field: string } | undefined {
  const askedMessages = Array.isArray(asked['messages']) ? asked['messages'] : [];
  const recordedMessages = Array.isArray(recorded['messages']) ? recorded['messages'] : [];
  const longest = Math.max(askedMessages.length, recordedMessages.length);
  for (let index = 0; index < longest; index += 1) {
    const left = askedMessages[index];
    const right = recordedMessages[index];
    if (canonicalJson(left) === canonicalJson(right)) continue;
    const field = isJsonObject(left) && isJsonObject(right) ? differingField(left, right) : undefined;
    return { depth: index, field: `messages[${index}]${field === undefined ? '' : `.${field}`}` };
  }
  const field = differingField(asked, recorded);
  return field === undefined ? undefined : { depth: longest, field };
}

function differingField(left: JsonObject, right: JsonObject): string | undefined {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].find((name) => canonicalJson(left[name]) !== canonicalJson(right[name]));
}
