import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { InternalError } from '@talaria/core';
import type { UrlPolicy } from '../../web/url-policy/index.ts';
import { forwardRequest } from './forward-request.ts';
import { openTunnel } from './open-tunnel.ts';
import { createProxyClient, type ProxyClient, type ProxyClientState } from './proxy-client.ts';

/** What {@link openForwardProxy} takes. */
export interface ForwardProxyOptions {
  readonly policy: UrlPolicy;
  /** Bytes that a client may receive until its budget is renewed. */
  readonly maxClientBytes: number;
}

/** A proxy on loopback that reaches only what the policy allows. Disposing of it closes every connection. */
export interface ForwardProxy extends AsyncDisposable {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** Lets one more in, by a name and a password of its own. */
  addClient(): ProxyClient;
}

/**
 * Opens a proxy for HTTP and, by CONNECT, for everything else. Names are resolved here, each address is checked, and only
 * checked addresses are connected to: whatever a page, a redirect or a name server says, nothing else can be reached.
 * Nobody without a password of a client gets through.
 */
export async function openForwardProxy({ policy, maxClientBytes }: ForwardProxyOptions): Promise<ForwardProxy> {
  const clients = new Map<string, ProxyClientState>();
  const sockets = new Set<Socket>();
  const server = createServer({ maxHeaderSize: 65_536, requestTimeout: 0 });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('request', (request, response) => {
    const client = clientOf(request, clients);
    if (client !== undefined) {
      void forwardRequest({ request, response, client, policy });
      return;
    }
    response.writeHead(407, { 'proxy-authenticate': challenge, 'content-length': 0 }).end();
    request.resume();
  });
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const client = clientOf(request, clients);
    if (client !== undefined) void openTunnel({ target: request.url ?? '', socket, head, client, policy });
    else
      socket.end(
        `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${challenge}\r\nContent-Length: 0\r\n\r\n`,
      );
  });
  // Web sockets come by CONNECT; whatever else wants another protocol is no browser.
  server.on('upgrade', (_request, socket: Socket) => socket.destroy());
  server.on('clientError', (_error, socket: Socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new InternalError('A server on loopback has no port', { code: 'internal.no-port' });
  }

  return {
    url: `http://127.0.0.1:${address.port}`,
    addClient() {
      const client = createProxyClient(maxClientBytes, (username) => void clients.delete(username));
      clients.set(client.username, client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of [...clients.values()]) client[Symbol.dispose]();
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const challenge = 'Basic realm="talaria"';

function clientOf(
  request: IncomingMessage,
  clients: ReadonlyMap<string, ProxyClientState>,
): ProxyClientState | undefined {
  const [, encoded = ''] = /^basic +(\S+)$/i.exec(request.headers['proxy-authorization'] ?? '') ?? [];
  const [username = '', password = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 2);
  const client = clients.get(username);
  return client?.accepts(password) === true ? client : undefined;
}
