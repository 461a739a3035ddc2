import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { createOfficialServer } from './servers/official-server.ts';

/** A server of the official package behind HTTP on loopback, with sessions. */
export interface HttpMcp extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Method and headers of each request so far. */
  readonly requests: readonly { readonly method: string; readonly headers: IncomingMessage['headers'] }[];
  /** Forgets all sessions, as a server that was started anew. */
  forget(): void;
  readonly connectionCount: () => number;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
}

/** Handles a request itself by returning true. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

export async function openHttpMcp(intercept: Intercept = () => false): Promise<HttpMcp> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const requests: { method: string; headers: IncomingMessage['headers'] }[] = [];
  const sockets = new Set<Socket>();
  const idleWaiters = new Set<() => void>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    requests.push({ method, headers });
    if (intercept(request, response)) return;
    const sessionId = headers['mcp-session-id'];
    const known = typeof sessionId === 'string' ? sessions.get(sessionId) : undefined;
    if (known !== undefined) {
      await known.handleRequest(request, response);
    } else if (sessionId !== undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
    } else {
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => {
          sessions.set(id, transport);
        },
      });
      await createOfficialServer(() => undefined).connect(transport);
      await transport.handleRequest(request, response);
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const settle of idleWaiters) settle();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    requests,
    forget: () => sessions.clear(),
    connectionCount: () => sockets.size,
    idle: () =>
      new Promise((resolve) => {
        if (sockets.size === 0) resolve();
        else idleWaiters.add(resolve);
      }),
    async [Symbol.asyncDispose]() {
      for (const transport of sessions.values()) await transport.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
