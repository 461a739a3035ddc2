import { type Clock, type CreateId, InternalError, silentLogger, systemClock } from '@talaria/core';
import type { ChatCallOptions, ChatCompletion, ChatModel, ChatRequest, ChatStreamEvent } from '../chat-model.ts';
import { closedError } from '../closed-error.ts';
import { toFinishReason } from '../finish-reason.ts';
import { normaliseAssistantMessage } from '../normalise-message.ts';
import { costOf, defaultPrices, type PriceTable } from '../price-table.ts';
import { createRateLimiter } from '../rate-limiter.ts';
import { type CallRegistry, createCallRegistry } from './call-registry.ts';
import { type RawAnswer, readWholeAnswer } from './decode-answer.ts';
import { type EncodeOptions, encodeRequest } from './encode-request.ts';
import {
  isOfficialHost,
  isReasoningModel,
  type OpenAiModelOptions,
  type ParsedOpenAiOptions,
  parseOpenAiOptions,
} from './openai-options.ts';
import { readStreamedAnswer } from './read-streamed-answer.ts';
import { type SenderOptions, type Sending, sendRequest } from './request-sender.ts';
import type { ChatDelta } from './stream-assembly.ts';
import { openTransport, type Transport } from './transport.ts';

/**
 * Opens a model behind an OpenAI-compatible endpoint. Sends nothing yet. Disposing ends the calls under way and closes
 * the connections.
 * @throws ConfigError `config.invalid`, `config.missing-package`
 */
export async function createOpenAiModel(options: OpenAiModelOptions): Promise<ChatModel> {
  const parsed = parseOpenAiOptions(options);
  const { clock = systemClock, logger = silentLogger, random = Math.random } = parsed;
  const { apiKey, baseUrl, headers, maxConcurrentRequests, maxRetries, model, sdk, timeoutMs, undici } = parsed;
  const limiter = parsed.limiter ?? createRateLimiter({ maxConcurrentRequests, clock });
  const connection: Connection = {
    name: parsed.name ?? model,
    sender: { apiKey, baseUrl, clock, limiter, logger, maxRetries, model, random, timeoutMs },
    transport: await openTransport({ apiKey, baseUrl, clock, headers, sdk, undici }),
    calls: createCallRegistry(),
    encoding: encodingOf(parsed),
    maxAnswerBytes: parsed.maxAnswerBytes,
    prices: parsed.prices ?? defaultPrices,
    clock,
    createId: parsed.createId,
  };
  return {
    name: connection.name,
    complete: (request, callOptions) => complete(connection, request, callOptions),
    stream: (request, callOptions) => stream(connection, request, callOptions),
    async [Symbol.asyncDispose]() {
      connection.calls.close(closedError(connection.name));
      await connection.transport[Symbol.asyncDispose]();
    },
  };
}

interface Connection {
  readonly name: string;
  readonly sender: SenderOptions;
  readonly transport: Transport;
  readonly calls: CallRegistry;
  readonly encoding: Omit<EncodeOptions, 'isStream'>;
  readonly maxAnswerBytes: number;
  readonly prices: PriceTable;
  readonly clock: Clock;
  readonly createId: CreateId | undefined;
}

function encodingOf(options: ParsedOpenAiOptions): Omit<EncodeOptions, 'isStream'> {
  const isOfficial = isOfficialHost(options.baseUrl);
  return {
    model: options.model,
    extraBody: options.extraBody,
    reasoningStyle: options.reasoningStyle ?? (isOfficial ? 'effort' : 'object'),
    sendsReasoning: options.sendsReasoning ?? !isOfficial,
    // OpenAI's newer models refuse the older name, and the older models take both.
    sendsSampling: options.sendsSampling ?? !(isOfficial && isReasoningModel(options.model)),
    maxTokensField: isOfficial ? 'max_completion_tokens' : 'max_tokens',
  };
}

async function complete(
  connection: Connection,
  request: ChatRequest,
  options: ChatCallOptions = {},
): Promise<ChatCompletion> {
  const startedMs = connection.clock.monotonicMs();
  using call = connection.calls.open(options.signal);
  const body = encodeRequest(request, { ...connection.encoding, isStream: false });
  const { result, sending } = await sendRequest(connection.sender, call.signal, async (attempt) => {
    const response = await post(connection, body, attempt);
    return readWholeAnswer(response, connection.maxAnswerBytes);
  });
  using _ended = sending;
  sending.succeeded();
  return toCompletion(connection, result, sending, startedMs);
}

async function* stream(
  connection: Connection,
  request: ChatRequest,
  options: ChatCallOptions = {},
): AsyncGenerator<ChatStreamEvent> {
  const completion = yield* streamPieces(connection, request, options);
  // By now the request has ended and its place is free, whatever the consumer does with the last event.
  yield { type: 'end', completion };
}

async function* streamPieces(
  connection: Connection,
  request: ChatRequest,
  options: ChatCallOptions,
): AsyncGenerator<ChatDelta, ChatCompletion> {
  const startedMs = connection.clock.monotonicMs();
  using call = connection.calls.open(options.signal);
  const body = encodeRequest(request, { ...connection.encoding, isStream: true });
  // Up to the first piece nothing was given out, so that a request may be sent again.
  const { result, sending } = await sendRequest(connection.sender, call.signal, async (attempt) => {
    const response = await post(connection, body, attempt);
    const pieces = readStreamedAnswer(response, connection.maxAnswerBytes);
    return { pieces, first: await pieces.next() };
  });
  using _ended = sending;
  const { pieces, first } = result;
  try {
    for (let next = first; !next.done; next = await pieces.next()) {
      call.signal.throwIfAborted();
      if (next.value.type === 'answer') {
        sending.succeeded();
        return toCompletion(connection, next.value.answer, sending, startedMs);
      }
      yield next.value;
    }
    throw new InternalError('A streamed answer ended without its whole', { code: 'internal.no-answer' });
  } catch (error) {
    throw sending.explain(error, true);
  } finally {
    await pieces.return(undefined);
  }
}

async function post(
  connection: Connection,
  body: Readonly<Record<string, unknown>>,
  sending: Sending,
): Promise<Response> {
  const response = await connection.transport.post(body, sending.signal);
  sending.requestId = response.headers.get('x-request-id');
  return response;
}

function toCompletion(connection: Connection, answer: RawAnswer, sending: Sending, startedMs: number): ChatCompletion {
  const { clock, createId, encoding, prices } = connection;
  const model = answer.model ?? encoding.model;
  return {
    message: normaliseAssistantMessage(answer.message, { createId }),
    finishReason: toFinishReason(answer.rawFinishReason),
    rawFinishReason: answer.rawFinishReason,
    usage: answer.usage,
    // Priced as it was asked for: an alias is in the table more often than what the provider makes of it.
    costUsd: costOf(answer.usage, encoding.model, prices) ?? costOf(answer.usage, model, prices),
    model,
    requestId: sending.requestId,
    attempts: sending.attempt,
    durationMs: clock.monotonicMs() - startedMs,
  };
}
