import type { Socket } from 'node:net';
import { errorMessage } from '@talaria/core';
import { connectSocket } from '../../web/http/connect-socket.ts';
import { portOf, type UrlPolicy } from '../../web/url-policy/index.ts';
import { limitBody } from './limit-body.ts';

/** Sends requests over connections of its own, all closed when it is disposed of. */
export interface HttpAgent extends AsyncDisposable {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

/** What {@link openHttpAgent} needs. */
export interface HttpAgentOptions {
  /** Checks each address, and each host again when it is connected to. @default none: every address may be visited */
  readonly policy: UrlPolicy | undefined;
  /** See `limitBody`. */
  readonly maxMessageBytes: number;
}

/** Opens an agent. Redirects are left to the caller. */
export async function openHttpAgent({ policy, maxMessageBytes }: HttpAgentOptions): Promise<HttpAgent> {
  // Node's own fetch gives up after 300 s of silence, and its connections cannot be closed.
  const undici = await import('undici');
  const stop = new AbortController();
  const sockets = new Set<Socket>();
  const limits = { headersTimeout: 0, bodyTimeout: 0, allowH2: false } as const;
  const agent =
    policy === undefined
      ? new undici.Agent(limits)
      : new undici.Agent({
          ...limits,
          connect: ({ hostname, port, protocol }, callback) => {
            openChecked({ policy, hostname, port, protocol, signal: stop.signal, sockets }).then(
              (socket) => callback(null, socket),
              (error: unknown) => callback(isError(error) ? error : new Error(errorMessage(error)), null),
            );
          },
        });

  return {
    async fetch(url, init = {}) {
      policy?.checkUrl(String(url));
      const answer = await undici.fetch(url, {
        method: init.method ?? 'GET',
        headers: [...new Headers(init.headers)],
        body: typeof init.body === 'string' ? init.body : null,
        signal: init.signal ?? null,
        redirect: 'manual',
        dispatcher: agent,
      });
      const isEventStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      const hasNoBody = answer.status === 204 || answer.status === 304;
      const body = answer.body === null || hasNoBody ? null : limitBody(answer.body, maxMessageBytes, isEventStream);
      return new Response(body, { status: answer.status, headers: [...answer.headers] });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await agent.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface CheckedTarget {
  readonly policy: UrlPolicy;
  readonly hostname: string;
  readonly port: string;
  readonly protocol: string;
  readonly signal: AbortSignal;
  readonly sockets: Set<Socket>;
}

/** Connects to addresses that the policy has checked, so that a name cannot mean another one by then. */
async function openChecked({ policy, hostname, port, protocol, signal, sockets }: CheckedTarget): Promise<Socket> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const wantedPort = port === '' ? portOf(new URL(`${protocol}//host`)) : Number(port);
  const addresses = await policy.resolve(host, wantedPort, signal);
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const target = { hostname: host, port: wantedPort, isSecure: protocol === 'https:', addresses };
    const opening = connectSocket({ ...target, certificateAuthorities: undefined }, (error, socket) => {
      if (error === null) resolve(socket);
      else reject(error);
    });
    sockets.add(opening);
    opening.once('close', () => sockets.delete(opening));
  });
}

/** Errors of Node itself are of another realm in some test runners. */
function isError(error: unknown): error is Error {
  return typeof error === 'object' && error !== null && 'message' in error && 'name' in error;
}
