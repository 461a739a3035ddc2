import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock, JsonObject } from '@talaria/core';

/** One request being answered: what the steps of the server write to. */
export interface Exchange {
  readonly response: ServerResponse;
  /** Whether the client asked for a stream. */
  readonly isStream: boolean;
  /** The model that the client named. */
  readonly model: string;
  readonly clock: Clock;
  /** Aborted when the client or the server closes the connection. */
  readonly signal: AbortSignal;
}

/** Sends a whole JSON answer. */
export function sendJson(
  exchange: Exchange,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendText(exchange, status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

/** Sends a whole answer. */
export function sendText(
  exchange: Exchange,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  exchange.response.writeHead(status, { 'x-request-id': 'req-scripted', ...headers }).end(body);
}

/** Sends the head of a stream of events. */
export function startStream(exchange: Exchange): void {
  exchange.response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-request-id': 'req-scripted',
  });
  exchange.response.flushHeaders();
}

/** Sends part of a body, and waits while the client is slow. */
export async function sendPart(exchange: Exchange, text: string): Promise<void> {
  if (!exchange.response.write(text)) await once(exchange.response, 'drain', { signal: exchange.signal });
}

/** One server-sent event with JSON in it. */
export function eventText(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
