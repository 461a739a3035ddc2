import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import { portOf, type UrlPolicy, UrlRefusedError } from '../../web/url-policy/index.ts';
import { connectChecked } from './connect-checked.ts';
import type { ProxyClientState, RefusedRequest } from './proxy-client.ts';

/** A plain HTTP request that a client sent. */
export interface ForwardedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly client: ProxyClientState;
  readonly policy: UrlPolicy;
}

/** Passes a request on and the answer back. Never rejects: what is refused is noted and answered. */
export async function forwardRequest({ request, response, client, policy }: ForwardedRequest): Promise<void> {
  const target = request.url ?? '';
  try {
    const url = policy.checkUrl(target);
    if (url.protocol !== 'http:') throw new UrlRefusedError('blocked', 'The proxy takes only http here.');
    const socket = await connectChecked({ hostname: url.hostname, port: portOf(url), policy, client });
    if (response.destroyed) socket.destroy();
    else await exchange({ request, response, client, policy }, url, socket);
  } catch (error) {
    if (client.signal.aborted) response.destroy();
    else refuse(response, client.refuse(target, error));
  }
}

function exchange({ request, response, client }: ForwardedRequest, url: URL, socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = sendRequest({
      method: request.method,
      path: url.pathname + url.search,
      headers: passedHeaders(request.rawHeaders, url.host),
      createConnection: () => socket,
    });
    outgoing.on('response', (incoming) => {
      try {
        // Refuses what a server may send and nobody may pass on, such as the status 099.
        response.writeHead(incoming.statusCode ?? 502, withoutHopHeaders(incoming.rawHeaders));
      } catch (error) {
        socket.destroy();
        reject(error);
        return;
      }
      incoming.on('data', (chunk: Buffer) => {
        if (client.receive(chunk.length, url.href)) return;
        response.destroy();
        socket.destroy();
      });
      // An answer that breaks off. One that is complete is passed on to its end, long after its connection was closed.
      incoming.on('error', () => response.destroy());
      incoming.pipe(response);
      resolve();
    });
    outgoing.on('error', reject);
    // The browser left: nobody waits for the answer.
    response.on('close', () => socket.destroy());
    response.on('error', () => socket.destroy());
    socket.on('close', () => reject(new Error('the server closed the connection')));
    request.on('error', () => socket.destroy());
    request.pipe(outgoing);
  });
}

function refuse(response: ServerResponse, { kind, message }: RefusedRequest): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const status = kind === 'blocked' ? 403 : 502;
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(message);
}

/** Headers between two machines, which are not passed on; the password of the proxy is one of them. */
const hopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** In pairs, so that headers that come several times stay apart. */
function withoutHopHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    if (!hopHeaders.has(name.toLowerCase())) kept.push(name, raw[index + 1] ?? '');
  }
  return kept;
}

function passedHeaders(raw: readonly string[], host: string): string[] {
  const headers = withoutHopHeaders(raw);
  // The host is that of the checked address, whatever the header said.
  const rest: string[] = ['Host', host, 'Connection', 'close'];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (name.toLowerCase() !== 'host') rest.push(name, headers[index + 1] ?? '');
  }
  return rest;
}
