import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject, parseJson } from '@talaria/core';
import { AnswerError } from './answer.ts';
import type { SandboxRecord } from './sandbox-record.ts';

/** A request that the double received. */
export interface RecordedDaytonaRequest {
  /** The method, or `WS` for a WebSocket. */
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  /** Method and pattern, as the message about a wrong one lists them; `null` where there is no such route. */
  readonly route: string | null;
  readonly plane: 'api' | 'toolbox';
  /** Id of the sandbox that it was for, where that exists. */
  readonly sandboxId: string | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body, where it was a JSON object. */
  readonly body: JsonObject | null;
  /** Status of the answer; `null` until there is one. 101 for a WebSocket. */
  readonly status: number | null;
  /** How it ended: `answered` to the last byte, or `closed` before that, by either side. */
  readonly ended: Promise<'answered' | 'closed'>;
}

/** What the code that serves one request gets. */
export interface DoubleRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Values of the placeholders of the route. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, where it is a JSON object; `{}` else. */
  readonly body: JsonObject;
  /** The connection, for bodies that are no JSON. */
  readonly incoming: IncomingMessage;
}

/** A request of the toolbox, for a sandbox that runs. */
export interface ToolboxRequest extends DoubleRequest {
  readonly sandbox: SandboxRecord;
}

/** Reads a body of JSON; `null` where it is another kind, which is left in the stream. */
export async function readJsonBody(incoming: IncomingMessage): Promise<JsonObject | null> {
  if (!(incoming.headers['content-type'] ?? '').includes('application/json')) return null;
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  const parsed = parseJson(Buffer.concat(parts).toString('utf8'));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}

/** A field of the body that must be text. @throws AnswerError 400 */
export function textField(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || value === '') throw new AnswerError(400, `${name} is required`);
  return value;
}

/** A field of the body that may be a number. */
export function numberField(body: JsonObject, name: string): number | undefined {
  const value = body[name];
  return typeof value === 'number' ? value : undefined;
}

/** The texts of a field that maps names to texts; what is none is left out. */
export function textMapField(body: JsonObject, name: string): Record<string, string> {
  const value = body[name];
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** A parameter of the query that must be there. @throws AnswerError 400 */
export function queryText(request: DoubleRequest, name: string): string {
  const value = request.query.get(name);
  if (value === null || value === '') throw new AnswerError(400, `${name} is required`);
  return value;
}
