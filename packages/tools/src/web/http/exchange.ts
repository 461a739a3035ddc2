import type { Socket } from 'node:net';
import { type Clock, errorMessage, openDeadline, systemErrorCode, truncateText } from '@talaria/core';
import type { Client } from 'undici';
import { isUrlRefusedError, portOf, type ResolvedAddress } from '../url-policy/index.ts';
import { isWebError, WebError } from '../web-error.ts';
import { connectSocket } from './connect-socket.ts';
import { type BodyBytes, readBody } from './read-body.ts';

/** One request over a connection of its own. */
export interface ExchangeRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Most decoded bytes to keep. */
  readonly maxBytes: number;
  /** From the start until the head of the answer. */
  readonly headersTimeoutMs: number;
  /** From the head to the end. */
  readonly bodyTimeoutMs: number;
  /** Gives the addresses of the host, and refuses it. */
  readonly resolve: (hostname: string, port: number, signal: AbortSignal) => Promise<readonly ResolvedAddress[]>;
  readonly certificateAuthorities: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** An answer. */
export interface ExchangeAnswer extends BodyBytes {
  readonly status: number;
  /** The first value of a header, by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/**
 * Sends a request and reads the answer; the body of a redirect is left. Nothing stays open.
 *
 * @throws WebError `network` or `timeout`; UrlRefusedError from `resolve`; rejects with the signal's reason
 */
export async function exchange(request: ExchangeRequest): Promise<ExchangeAnswer> {
  const { url, signal } = request;
  signal?.throwIfAborted();
  const { Client } = await import('undici');
  const stop = new AbortController();
  const sockets = new Set<Socket>();
  // A connection is never used twice: that is what keeps it bound to the addresses that were checked for this request.
  const client = new Client(url.origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connect: (_options, callback) => {
      openSocket(request, stop.signal, sockets, (error, socket) => {
        if (error === null && socket !== undefined) callback(null, socket);
        else callback(error ?? new Error('No connection'), null);
      });
    },
  });
  try {
    return await sendAndRead(client, request, stop);
  } finally {
    stop.abort();
    for (const socket of sockets) socket.destroy();
    await client.destroy();
  }
}

async function sendAndRead(client: Client, request: ExchangeRequest, stop: AbortController): Promise<ExchangeAnswer> {
  const { url, method, headers, body, maxBytes } = request;
  const response = await within(request, stop, request.headersTimeoutMs, 'did not answer', () =>
    client.request({
      path: url.pathname + url.search,
      method,
      headers: { 'accept-encoding': 'gzip, br', ...headers },
      body: body ?? null,
      signal: stop.signal,
    }),
  );
  // Bodies that are left say so by an error that nobody waits for.
  response.body.on('error', () => undefined);
  const header = (name: string): string | undefined => {
    const value = response.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  };
  const status = response.statusCode;
  if (isRedirectStatus(status)) return { status, header, bytes: new Uint8Array(), isTruncated: false };
  const read = await within(request, stop, request.bodyTimeoutMs, 'did not send everything', () =>
    readBody(response.body, header('content-encoding') ?? '', maxBytes),
  );
  return { status, header, ...read };
}

/** Whether an answer leads to another address. */
export function isRedirectStatus(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/** Runs one phase under its time limit and explains how it failed. */
async function within<Value>(
  { clock, signal, url }: ExchangeRequest,
  stop: AbortController,
  timeoutMs: number,
  failing: string,
  action: () => Promise<Value>,
): Promise<Value> {
  using deadline = openDeadline(clock, timeoutMs, signal);
  const end = (): void => stop.abort(deadline.signal.reason);
  deadline.signal.addEventListener('abort', end, { once: true });
  if (deadline.signal.aborted) end();
  try {
    return await action();
  } catch (cause) {
    signal?.throwIfAborted();
    if (deadline.isExpired()) {
      throw new WebError('timeout', `${url.host} ${failing} within ${timeoutMs / 1_000} s.`, {
        retryable: true,
        cause,
      });
    }
    if (isUrlRefusedError(cause) || isWebError(cause)) throw cause;
    throw new WebError('network', `${url.host} could not be read: ${describeCause(cause)}.`, {
      retryable: true,
      cause,
    });
  } finally {
    deadline.signal.removeEventListener('abort', end);
  }
}

function openSocket(
  request: ExchangeRequest,
  stopSignal: AbortSignal,
  sockets: Set<Socket>,
  settle: (error: Error | null, socket?: Socket) => void,
): void {
  const { url, certificateAuthorities } = request;
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = portOf(url);
  request.resolve(hostname, port, stopSignal).then(
    (addresses) => {
      if (stopSignal.aborted) {
        settle(new Error('Stopped'));
        return;
      }
      const isSecure = url.protocol === 'https:';
      sockets.add(connectSocket({ hostname, port, isSecure, addresses, certificateAuthorities }, settle));
    },
    (error: unknown) => settle(isError(error) ? error : new Error(errorMessage(error))),
  );
}

/** Errors of Node itself are of another realm in some test runners. */
function isError(error: unknown): error is Error {
  return typeof error === 'object' && error !== null && 'message' in error && 'name' in error;
}

/** A sentence for the model: codes such as ECONNREFUSED say more than most messages. */
function describeCause(cause: unknown): string {
  const code = systemErrorCode(cause);
  // What the client believes to be impossible, such as a status of 99.
  if (code === 'ERR_ASSERTION') return 'its answer is no HTTP';
  // A certificate, for one, may name thousands of hosts.
  const message = truncateText(errorMessage(cause).split('\n')[0]?.trim().replace(/\.$/, '') ?? '', 300);
  if (code === undefined) return message;
  return message === '' || message.includes(code) ? message || code : `${message} (${code})`;
}
