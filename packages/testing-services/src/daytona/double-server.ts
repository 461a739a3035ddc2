import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Answer } from './answer.ts';
import type { DaytonaFault } from './daytona-fault.ts';
import type { RecordedDaytonaRequest } from './double-request.ts';
import type { DoubleServerOptions } from './double-server-options.ts';
import { wrapSocket } from './double-socket.ts';
import { exitControlProtocol } from './pty-session.ts';
import { createRequestBook, type OpenRequest } from './request-book.ts';
import type { SandboxRecord } from './sandbox-record.ts';
import { errorAnswer, faultAnswer, serveRequest } from './serve-request.ts';

/** Most bytes of one message from a client: the daemon closes the connection of one that sends more. */
const maxMessageBytes = 64 * 1024;

/** A running server. Disposing closes it and every connection. */
export interface DoubleServer extends AsyncDisposable {
  readonly origin: string;
  readonly requests: readonly RecordedDaytonaRequest[];
  whenRequested(route: string, count: number): Promise<void>;
}

/** Starts the server on a free port of loopback. */
export async function startDoubleServer(options: DoubleServerOptions): Promise<DoubleServer> {
  const book = createRequestBook(options);
  const timers = new Set<() => void>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(exitControlProtocol) ? exitControlProtocol : (first(offered) ?? false)),
  });
  const server = createServer((incoming, response) => {
    void serveHttp(options, book.open, timers, incoming, response);
  });
  server.on('upgrade', (incoming, socket, head) => {
    void serveUpgrade(options, book.open, timers, sockets, { incoming, socket, head });
  });
  // Commands may take any time, and a kept connection that the server drops looks like a fault.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    requests: book.requests,
    whenRequested: book.whenRequested,
    async [Symbol.asyncDispose]() {
      for (const cancel of timers) cancel();
      for (const socket of sockets.clients) socket.terminate();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type OpenBook = (incoming: IncomingMessage, method: string) => Promise<OpenRequest>;

async function serveHttp(
  options: DoubleServerOptions,
  open: OpenBook,
  timers: Set<() => void>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const opened = await open(incoming, incoming.method ?? 'GET').catch(() => null);
  if (opened === null) return;
  const { request, sandbox } = opened;
  const isToolbox = opened.plane === 'toolbox';
  response.once('close', () => opened.end(response.writableFinished ? 'answered' : 'closed'));
  const breakConnection = (): void => void response.destroy();
  try {
    const fault = opened.refusal === null ? opened.takeFault() : null;
    await strikeFirst(options, timers, sandbox, fault);
    if (isToolbox) sandbox?.connections.add(breakConnection);
    await serveRequest(request, response, fault, options.clock, async () => {
      if (opened.refusal !== null) throw opened.refusal;
      if (!isToolbox) return await opened.handler(options.api)(request, makingFault(fault));
      const current = opened.currentSandbox();
      options.store.touch(current);
      const answer = await opened.handler(options.toolbox)({ ...request, sandbox: current });
      if (options.store.find(current.id) === current) options.store.touch(current);
      return answer;
    });
  } catch (error) {
    // A client that goes away in the middle is what many tests are about.
    if (!response.destroyed) response.destroy(error instanceof Error ? error : undefined);
  } finally {
    sandbox?.connections.delete(breakConnection);
    if (response.headersSent) opened.setStatus(response.statusCode);
    incoming.resume();
  }
}

interface Upgrade {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

async function serveUpgrade(
  options: DoubleServerOptions,
  open: OpenBook,
  timers: Set<() => void>,
  server: WebSocketServer,
  { incoming, socket, head }: Upgrade,
): Promise<void> {
  // A client may go away at any time; that is told by `close`.
  socket.on('error', () => {});
  const opened = await open(incoming, 'WS');
  try {
    if (opened.refusal !== null) throw opened.refusal;
    const fault = opened.takeFault();
    await strikeFirst(options, timers, opened.sandbox, fault);
    if (fault?.fault === 'silence') return;
    if (fault?.fault === 'hang-up') {
      socket.destroy();
      opened.end('closed');
      return;
    }
    if (fault?.fault === 'status') {
      refuse(socket, opened, faultAnswer(opened.request, fault));
      return;
    }
    if (fault?.fault === 'slow') await options.clock.sleep(fault.durationMs, { isBackground: true });
    const current = opened.currentSandbox();
    options.store.touch(current);
    const attach = await opened.handler(options.sockets)({ ...opened.request, sandbox: current });
    server.handleUpgrade(incoming, socket, head, (client) => {
      opened.setStatus(101);
      keepConnection(current, client, opened);
      attach(wrapSocket(client, fault?.fault === 'cut' ? (fault.bytes ?? 0) : Number.POSITIVE_INFINITY));
    });
  } catch (error) {
    refuse(socket, opened, errorAnswer(opened.request, error));
  }
}

/** Answers a request for a WebSocket by plain HTTP. */
function refuse(socket: Duplex, opened: OpenRequest, { status, headers, body }: Answer): void {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`HTTP/1.1 ${status} Refused\r\n${lines.join('\r\n')}\r\n\r\n`);
  socket.end(Buffer.isBuffer(body) ? body : undefined);
  opened.setStatus(status);
  opened.end('answered');
}

function keepConnection(sandbox: SandboxRecord, client: WebSocket, opened: OpenRequest): void {
  const breakConnection = (): void => client.terminate();
  sandbox.connections.add(breakConnection);
  client.on('error', () => {});
  client.once('close', (code) => {
    sandbox.connections.delete(breakConnection);
    // 1006 is what a connection that just broke is given.
    opened.end(code === 1006 ? 'closed' : 'answered');
  });
}

/** Does what a fault does to the sandbox of a request, now or in a while. */
async function strikeFirst(
  { clock, strike }: DoubleServerOptions,
  timers: Set<() => void>,
  sandbox: SandboxRecord | null,
  fault: DaytonaFault | null,
): Promise<void> {
  if (sandbox === null || fault === null) return;
  if (fault.fault !== 'lost' && fault.fault !== 'stopped' && fault.fault !== 'archived') return;
  const { fault: what, afterMs } = fault;
  if (afterMs === undefined) {
    await strike(sandbox, what);
    return;
  }
  const cancel = clock.schedule(afterMs, () => {
    timers.delete(cancel);
    void strike(sandbox, what);
  });
  timers.add(cancel);
}

/** The faults that say how a sandbox is made; the others are over when the request is served. */
function makingFault(fault: DaytonaFault | null): DaytonaFault | null {
  const isMaking = fault?.fault === 'slow' || fault?.fault === 'build-failed' || fault?.fault === 'create-failed';
  return isMaking ? fault : null;
}

function first(names: ReadonlySet<string>): string | undefined {
  return [...names][0];
}
