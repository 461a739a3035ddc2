import { assertNever, type JsonObject } from '@talaria/core';
import { encodeChunks, encodeCompletion } from './completion-codec.ts';
import { type Exchange, eventText, sendJson, sendPart, sendText, startStream } from './exchange.ts';
import type { ServerFault } from './scripted-answer.ts';

/** What faults that begin well begin with. */
const goodStart = { content: 'The answer begins well and is long enough to be cut.' };

/** Does to a request what the fault says. */
export async function playFault(exchange: Exchange, step: ServerFault): Promise<void> {
  switch (step.fault) {
    case 'rate-limited':
      sendJson(exchange, 429, errorBody('Rate limit reached', 'rate_limit_exceeded'), retryHeaders(step));
      return;
    case 'status':
      sendStatus(exchange, step);
      return;
    case 'silence':
      return;
    case 'hang-up':
      exchange.response.destroy();
      return;
    case 'html':
      sendText(exchange, 200, '<!doctype html>\n<html><body>Welcome</body></html>', { 'content-type': 'text/html' });
      return;
    case 'malformed-json':
      await playMalformed(exchange);
      return;
    case 'empty-choices':
      await playEmptyChoices(exchange);
      return;
    case 'huge':
      await playHuge(exchange, step.bytes);
      return;
    case 'half-event':
    case 'cut':
    case 'no-finish':
    case 'stall':
      await playBrokenStart(exchange, step.fault, step.pieces ?? 3);
      return;
    default:
      assertNever(step);
  }
}

function retryHeaders(step: Extract<ServerFault, { fault: 'rate-limited' }>): Record<string, string> {
  return {
    ...(step.retryAfter === undefined ? {} : { 'retry-after': step.retryAfter }),
    ...(step.retryAfterMs === undefined ? {} : { 'retry-after-ms': String(step.retryAfterMs) }),
  };
}

function errorBody(message: string, code: string): JsonObject {
  return { error: { message, type: 'error', code } };
}

function sendStatus(exchange: Exchange, step: Extract<ServerFault, { fault: 'status' }>): void {
  const { status, body = errorBody(`Status ${status} on demand`, 'on_demand'), headers } = step;
  if (typeof body === 'string') sendText(exchange, status, body, { 'content-type': 'text/plain', ...headers });
  else sendJson(exchange, status, body, headers);
}

async function playMalformed(exchange: Exchange): Promise<void> {
  if (!exchange.isStream) {
    sendText(exchange, 200, '{"choices": [{"message": {"content": oops', { 'content-type': 'application/json' });
    return;
  }
  startStream(exchange);
  exchange.response.end('data: {"choices": [oops\n\ndata: [DONE]\n\n');
}

async function playEmptyChoices(exchange: Exchange): Promise<void> {
  const empty = { id: 'chatcmpl-scripted', object: 'chat.completion', model: exchange.model, choices: [] };
  if (!exchange.isStream) {
    sendJson(exchange, 200, empty);
    return;
  }
  startStream(exchange);
  exchange.response.end(`${eventText({ ...empty, object: 'chat.completion.chunk' })}data: [DONE]\n\n`);
}

async function playHuge(exchange: Exchange, bytes: number): Promise<void> {
  const block = 'x'.repeat(64 * 1024);
  let remaining = bytes;
  if (exchange.isStream) startStream(exchange);
  else exchange.response.writeHead(200, { 'content-type': 'application/json' });
  const delta = (content: string) => eventText({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  if (!exchange.isStream) await sendPart(exchange, '{"choices":[{"index":0,"message":{"role":"assistant","content":"');
  while (remaining > 0) {
    const piece = block.slice(0, remaining);
    remaining -= piece.length;
    await sendPart(exchange, exchange.isStream ? delta(piece) : piece);
  }
  if (exchange.isStream) {
    const last = eventText({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    exchange.response.end(`${last}data: [DONE]\n\n`);
  } else {
    exchange.response.end('"},"finish_reason":"stop"}]}');
  }
}

async function playBrokenStart(
  exchange: Exchange,
  fault: 'half-event' | 'cut' | 'no-finish' | 'stall',
  pieces: number,
): Promise<void> {
  if (exchange.isStream) {
    startStream(exchange);
    const events = encodeChunks(goodStart, exchange.model).map(eventText);
    for (const event of events.slice(0, pieces)) await sendPart(exchange, event);
    const next = events[pieces] ?? '';
    if (fault === 'half-event' || fault === 'cut') await sendPart(exchange, next.slice(0, next.length / 2));
  } else {
    const whole = JSON.stringify(encodeCompletion(goodStart, exchange.model));
    exchange.response.writeHead(200, { 'content-type': 'application/json' });
    await sendPart(exchange, whole.slice(0, whole.length / 2));
  }
  if (fault === 'stall') return;
  if (fault !== 'cut') {
    exchange.response.end();
    return;
  }
  // A turn of the event loop, so that what was written leaves before the connection breaks.
  await exchange.clock.sleep(5, { signal: exchange.signal });
  exchange.response.destroy();
}
