import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What a test server heard. */
export interface HeardRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An HTTP server on loopback. */
export interface TestServer extends AsyncDisposable {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  readonly port: number;
  readonly requests: readonly HeardRequest[];
  /** Resolves when a request of this path has come. */
  heard(path: string): Promise<void>;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
}

/** Answers a request; one that leaves it unanswered lets it hang. */
export type Respond = (request: HeardRequest, response: ServerResponse) => void;

export async function openTestServer(respond: Respond): Promise<TestServer> {
  const requests: HeardRequest[] = [];
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  const notify = (): void => {
    for (const check of [...waiting]) check();
  };
  const server: Server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const { method = '', url: path = '', headers } = message;
      const request = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') };
      requests.push(request);
      respond(request, response);
      notify();
    });
    message.on('error', () => undefined);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      notify();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  function until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isTrue()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  }

  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    requests,
    heard: (path) => until(() => requests.some((request) => request.path === path)),
    idle: () => until(() => sockets.size === 0),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
