import type { Readable } from 'node:stream';
import type { JsonObject, JsonValue } from '@talaria/core';

/** What is sent back for a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent in chunks. */
  readonly body: Buffer | Readable;
}

/** Which part of Daytona speaks. */
export type AnswerSource = 'DAYTONA_API' | 'DAYTONA_DAEMON' | 'DAYTONA_PROXY';

/** An answer that says what is wrong, thrown by whatever serves a request. */
export class AnswerError extends Error {
  readonly status: number;
  readonly fields: JsonObject;

  constructor(status: number, message: string, fields: JsonObject = {}) {
    super(message);
    this.name = 'AnswerError';
    this.status = status;
    this.fields = fields;
  }
}

/** An error of the toolbox, which the SDK turns into a class by its code. */
export function daemonError(status: number, code: string, message: string): AnswerError {
  return new AnswerError(status, message, { code, source: 'DAYTONA_DAEMON' });
}

/** An answer of JSON. */
export function json(value: JsonValue, status = 200): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(value)),
  };
}

/** An answer of text. */
export function text(value: string): Answer {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from(value) };
}

/** An answer without a body. */
export function empty(status = 200): Answer {
  return { status, headers: {}, body: Buffer.alloc(0) };
}

/** The body that Daytona sends with an error. */
export function errorBody(request: { method: string; path: string }, status: number, rest: JsonObject): JsonObject {
  const { method, path } = request;
  return { statusCode: status, timestamp: new Date().toISOString(), path, method, source: 'DAYTONA_API', ...rest };
}
