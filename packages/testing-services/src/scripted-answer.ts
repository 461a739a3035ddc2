import type { JsonObject, JsonValue } from '@talaria/core';

/** Where a provider puts the model's reasoning. `inline` is a `<think>` block at the start of the content. */
export type ReasoningField = 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'inline';

/** A tool call as the server writes it, well-formed or not. */
export interface AnsweredToolCall {
  readonly name: string;
  /** Text is sent as it is; an object or `null` is sent as that JSON value, as some servers do; absent is left out. */
  readonly arguments?: JsonValue | undefined;
  /** `null` sends no id. @default `call_1`, `call_2`, … */
  readonly id?: string | null | undefined;
}

/** An answer of the scripted server, whole or streamed as the request asks. */
export interface ServerAnswer {
  readonly content?: string | null | undefined;
  readonly reasoning?: string | undefined;
  /** @default `reasoning_content` */
  readonly reasoningField?: ReasoningField | undefined;
  readonly toolCalls?: readonly AnsweredToolCall[] | undefined;
  /** @default `tool_calls` where there are calls, else `stop`; `null` sends null */
  readonly finishReason?: string | null | undefined;
  /** Sent as it is; `null` sends none. @default a small usage with cached and reasoning tokens */
  readonly usage?: JsonObject | null | undefined;
  /** Time before the first byte of the answer's head. @default 0 */
  readonly delayMs?: number | undefined;
  /** Time between two pieces of a stream. @default 0 */
  readonly pieceDelayMs?: number | undefined;
  /** Characters of text per piece of a stream. @default 8 */
  readonly pieceChars?: number | undefined;
  /** Fields put over the message of a whole answer. */
  readonly message?: JsonObject | undefined;
  /** Fields put over the whole answer. */
  readonly body?: JsonObject | undefined;
}

/** Something that goes wrong, on demand. */
export type ServerFault =
  /** 429; `retryAfter` is sent as `Retry-After` word for word, `retryAfterMs` as `retry-after-ms`. */
  | {
      readonly fault: 'rate-limited';
      readonly retryAfter?: string | undefined;
      readonly retryAfterMs?: number | undefined;
    }
  /** Any status with any body; an object is sent as JSON. */
  | {
      readonly fault: 'status';
      readonly status: number;
      readonly body?: JsonObject | string | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  /** Accepts the request and says nothing. */
  | { readonly fault: 'silence' }
  /** Closes the connection before any answer. */
  | { readonly fault: 'hang-up' }
  /** A good start of a stream (or half a whole answer), then the middle of an event, then a proper end. */
  | { readonly fault: 'half-event'; readonly pieces?: number | undefined }
  /** A good start of a stream (or half a whole answer), then the connection breaks. */
  | { readonly fault: 'cut'; readonly pieces?: number | undefined }
  /** A good start of a stream, then a proper end without a finish reason and without `[DONE]`. */
  | { readonly fault: 'no-finish'; readonly pieces?: number | undefined }
  /** A good start of a stream, then silence on an open connection. */
  | { readonly fault: 'stall'; readonly pieces?: number | undefined }
  /** A web page with status 200, as a wrong base URL gives. */
  | { readonly fault: 'html' }
  /** JSON that cannot be parsed, with status 200. */
  | { readonly fault: 'malformed-json' }
  /** `choices: []` with status 200. */
  | { readonly fault: 'empty-choices' }
  /** A well-formed answer with `bytes` bytes of content. */
  | { readonly fault: 'huge'; readonly bytes: number };

/** What the server does with one request. */
export type ServerStep = ServerAnswer | ServerFault;

/** Whether a step is a fault. */
export function isServerFault(step: ServerStep): step is ServerFault {
  return 'fault' in step;
}
