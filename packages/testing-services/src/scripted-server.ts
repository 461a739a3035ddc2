import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Clock, isAbortOf, isJsonObject, type JsonObject, parseJson, systemClock } from '@talaria/core';
import { type Exchange, sendJson } from './exchange.ts';
import { playAnswer } from './play-answer.ts';
import { playFault } from './play-fault.ts';
import { isServerFault, type ServerStep } from './scripted-answer.ts';

/** A request that the server received. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; `null` where it was empty or no JSON object. */
  readonly body: JsonObject | null;
  /** How it ended: `answered` to the last byte, or `closed` before that, by either side. */
  readonly ended: Promise<'answered' | 'closed'>;
}

/** Decides what the server does with a chat request. `index` counts chat requests from 0. */
export type ServerScript = (request: RecordedRequest, index: number) => ServerStep | Promise<ServerStep>;

/** Options of {@link createScriptedServer}. */
export interface ScriptedServerOptions {
  /** What is done when the queue is empty. @default answers `Hello from the script.` */
  readonly script?: ServerScript | undefined;
  /** Refuses requests without it by status 401. @default none is asked for */
  readonly apiKey?: string | undefined;
  /** What `/v1/models` lists. @default `['scripted']` */
  readonly models?: readonly string[] | undefined;
  /** 0 takes a free one. @default 0 */
  readonly port?: number | undefined;
  /** Measures the delays of answers. @default the real clock */
  readonly clock?: Clock | undefined;
}

/** A running server. Disposing closes it and every connection. */
export interface ScriptedServer extends AsyncDisposable {
  /** Base URL for clients, with `/v1`. */
  readonly baseUrl: string;
  /** The same without `/v1`. */
  readonly origin: string;
  /** Chat requests that carried the right key, in the order of their arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Does these things with the next chat requests, one each, before the script is asked. */
  enqueue(...steps: readonly ServerStep[]): void;
  /** Resolves when so many chat requests have arrived since the start. */
  whenRequests(count: number): Promise<void>;
}

/** Starts an OpenAI-compatible server on loopback that says what it is told to. */
export async function createScriptedServer(options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const queue: ServerStep[] = [];
  const requests: RecordedRequest[] = [];
  const watchers = new Set<() => void>();
  const closing = new AbortController();
  const state: ServerState = { options, queue, requests, watchers, closing };
  const server = createServer((incoming, response) => {
    // Answers may begin after any time: the client decides how long it waits.
    response.setTimeout(0);
    void serve(state, incoming, response);
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${portOf(server)}`;
  return {
    baseUrl: `${origin}/v1`,
    origin,
    requests,
    enqueue(...steps) {
      queue.push(...steps);
    },
    whenRequests(count) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (requests.length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      if (closing.signal.aborted) return;
      closing.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface ServerState {
  readonly options: ScriptedServerOptions;
  readonly queue: ServerStep[];
  readonly requests: RecordedRequest[];
  readonly watchers: Set<() => void>;
  readonly closing: AbortController;
}

async function serve(state: ServerState, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const connection = new AbortController();
  const ended = new Promise<'answered' | 'closed'>((resolve) => {
    response.once('close', () => {
      connection.abort();
      resolve(response.writableFinished ? 'answered' : 'closed');
    });
  });
  try {
    const body = await readJsonBody(incoming);
    const request = record(incoming, body, ended);
    const exchange: Exchange = {
      response,
      isStream: body?.['stream'] === true,
      model: typeof body?.['model'] === 'string' ? body['model'] : 'scripted',
      clock: state.options.clock ?? systemClock,
      signal: connection.signal,
    };
    await route(state, request, exchange);
  } catch (error) {
    // A client that went away is what many tests are about; anything else is a fault of the script.
    if (isAbortOf(error, connection.signal) || connection.signal.aborted) return;
    response.writeHead(500, { 'content-type': 'text/plain' }).end(`The server's script failed: ${String(error)}`);
  }
}

async function route(state: ServerState, request: RecordedRequest, exchange: Exchange): Promise<void> {
  const { apiKey, models = ['scripted'], script = defaultScript } = state.options;
  if (apiKey !== undefined && !hasKey(request, apiKey)) {
    const message = `Incorrect API key provided: ${request.headers['authorization'] ?? '(none)'}`;
    sendJson(exchange, 401, { error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } });
    return;
  }
  if (request.method === 'GET' && request.path === '/v1/models') {
    sendJson(exchange, 200, {
      object: 'list',
      data: models.map((id) => ({ id, object: 'model', owned_by: 'script' })),
    });
    return;
  }
  if (request.method !== 'POST' || request.path !== '/v1/chat/completions') {
    sendJson(exchange, 404, { error: { message: `No such path: ${request.path}`, code: 'not_found' } });
    return;
  }
  const index = state.requests.push(request) - 1;
  for (const look of [...state.watchers]) look();
  const step = state.queue.shift() ?? (await script(request, index));
  await (isServerFault(step) ? playFault(exchange, step) : playAnswer(exchange, step));
}

function defaultScript(): ServerStep {
  return { content: 'Hello from the script.' };
}

function hasKey(request: RecordedRequest, apiKey: string): boolean {
  const given = Buffer.from(request.headers['authorization'] ?? '');
  const wanted = Buffer.from(`Bearer ${apiKey}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function record(incoming: IncomingMessage, body: JsonObject | null, ended: RecordedRequest['ended']): RecordedRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = String(value);
  }
  return { method: incoming.method ?? '', path: incoming.url ?? '', headers, body, ended };
}

async function readJsonBody(incoming: IncomingMessage): Promise<JsonObject | null> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  const parsed = parseJson(Buffer.concat(parts).toString('utf8'));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}
