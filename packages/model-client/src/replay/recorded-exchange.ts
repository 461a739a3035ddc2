import {
  contentHash,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ModelError,
  parseJson,
  StateError,
} from '@talaria/core';
import { z } from 'zod';
import type { ChatCompletion, ChatRequest } from '../chat-model.ts';
import { normaliseAssistantMessage } from '../normalise-message.ts';

/** What came of a recorded request: an answer, or the error of an endpoint. */
export type RecordedOutcome =
  | { readonly kind: 'completion'; readonly completion: ChatCompletion }
  | { readonly kind: 'error'; readonly error: RecordedError };

/** A ModelError as data. */
export interface RecordedError {
  readonly code: `model.${string}`;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly retryable: boolean;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly attempts?: number | undefined;
  readonly bodyExcerpt?: string | undefined;
}

/** One line of a recording. */
export interface RecordedExchange {
  readonly schema: 'talaria.exchange/1';
  /** Name of the model that answered. */
  readonly modelName: string;
  /** Hash of the request; see {@link requestKey}. */
  readonly key: string;
  /** The request, for people and for the message of a miss. */
  readonly request: JsonObject;
  readonly outcome: RecordedOutcome;
}

/** A request as plain JSON: absent fields left out. */
export function requestJson(request: ChatRequest): JsonObject {
  const parsed = parseJson(JSON.stringify(request));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}

/** Identifies a request: SHA-256 of its canonical JSON. */
export function requestKey(request: JsonObject): string {
  return contentHash(request);
}

/** The error as it was, without its stack. */
export function encodeError(error: ModelError): RecordedError {
  const { attempts, bodyExcerpt, code, hint, message, requestId, retryable, status } = error;
  return { code, message, hint, retryable, status, requestId, attempts, bodyExcerpt };
}

/** The error again. */
export function decodeError(recorded: RecordedError): ModelError {
  const { message, ...options } = recorded;
  return new ModelError(message, options);
}

const count = z.int().nonnegative();

const usage = z.looseObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.looseObject({ cached_tokens: count.exactOptional() }).exactOptional(),
  completion_tokens_details: z.looseObject({ reasoning_tokens: count.exactOptional() }).exactOptional(),
});

const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

const completion = z.object({
  message: jsonObject.transform((message) => normaliseAssistantMessage(message)),
  finishReason: z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'unknown']),
  rawFinishReason: z.string().nullable(),
  usage: usage.nullable(),
  costUsd: z.number().nullable(),
  model: z.string(),
  requestId: z.string().nullable(),
  attempts: count,
  durationMs: z.number(),
});

const recordedError = z.object({
  code: z.templateLiteral(['model.', z.string()]),
  message: z.string(),
  hint: z.string().optional(),
  retryable: z.boolean(),
  status: z.number().optional(),
  requestId: z.string().optional(),
  attempts: z.number().optional(),
  bodyExcerpt: z.string().optional(),
});

const recordedExchange = z.object({
  schema: z.literal('talaria.exchange/1'),
  modelName: z.string(),
  key: z.string(),
  request: jsonObject,
  outcome: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('completion'), completion }),
    z.object({ kind: z.literal('error'), error: recordedError }),
  ]),
});

/**
 * Reads a line of a recording that is JSON already.
 * @throws StateError `state.malformed`
 */
export function parseExchange(value: JsonValue, where: string): RecordedExchange {
  const parsed = recordedExchange.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new StateError(`${where} is no recorded exchange: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`, {
    code: 'state.malformed',
    hint: 'Give a file that recordModel wrote with this version, or record it again.',
  });
}
