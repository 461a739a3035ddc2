import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Answers one request; without an answer the engine hangs. */
export type EngineRoute = (request: IncomingMessage, response: ServerResponse) => void;

/** An engine that says what a test wants. */
export interface FakeEngine extends AsyncDisposable {
  readonly socketPath: string;
  /** `unix://` and its socket. */
  readonly host: string;
  /** Method and target of each request, in order. */
  readonly requests: readonly string[];
  /** Resolves once a request has come that starts so. */
  asked(start: string): Promise<void>;
}

/** Answers with JSON. */
export function say(status: number, body: unknown): EngineRoute {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

/** Never answers. */
export const hang: EngineRoute = () => undefined;

/**
 * Starts one. A route is named by the start of what it is for, for example `GET /images/`; the last that fits counts. What
 * none fits is a 404.
 */
export async function startFakeEngine(routes: Readonly<Record<string, EngineRoute>>): Promise<FakeEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-engine-'));
  const socketPath = join(folder, 'docker.sock');
  const requests: string[] = [];
  const waiting: { readonly start: string; readonly resolve: () => void }[] = [];
  const known: Readonly<Record<string, EngineRoute>> = {
    'GET /_ping': say(200, 'OK'),

    'GET /version': say(200, { ApiVersion: '1.43', Version: '24', Os: 'linux', Arch: 'amd64' }),
    ...routes,
  };
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    requests.push(line);
    const route = Object.entries(known).findLast(([start]) => line.startsWith(start))?.[1];
    (route ?? say(404, { message: `no such thing: ${line}` }))(request, response);
    for (const { start, resolve } of waiting) if (line.startsWith(start)) resolve();
  });
  server.listen(socketPath);
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    socketPath,
    host: `unix://${socketPath}`,
    requests,
    asked: (start) =>
      new Promise((resolve) => {
        if (requests.some((line) => line.startsWith(start))) resolve();
        else waiting.push({ start, resolve });
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}
