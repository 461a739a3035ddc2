import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AnswerError } from './answer.ts';
import type { DaytonaFault } from './daytona-fault.ts';
import { type DoubleRequest, type RecordedDaytonaRequest, readJsonBody } from './double-request.ts';
import type { DoubleServerOptions } from './double-server-options.ts';
import { findRoute } from './route-table.ts';
import type { SandboxRecord } from './sandbox-record.ts';

/** A request that has arrived whole, but for a body that is a stream. */
export interface OpenRequest {
  readonly plane: 'api' | 'toolbox';
  readonly request: DoubleRequest;
  /** The sandbox that it is for, where that exists. */
  readonly sandbox: SandboxRecord | null;
  /** Why it is not served at all. */
  readonly refusal: AnswerError | null;
  takeFault(): DaytonaFault | null;
  /** The handler of its route. */
  handler<Handler>(routes: Readonly<Record<string, Handler>>): Handler;
  /** The sandbox as it is now. @throws AnswerError 404 */
  currentSandbox(): SandboxRecord;
  setStatus(status: number): void;
  end(how: 'answered' | 'closed'): void;
}

/** Every request that arrived. */
export interface RequestBook {
  readonly requests: readonly RecordedDaytonaRequest[];
  readonly open: (incoming: IncomingMessage, method: string) => Promise<OpenRequest>;
  readonly whenRequested: (route: string, count: number) => Promise<void>;
}

interface MutableRequest extends RecordedDaytonaRequest {
  status: number | null;
}

/** Creates an empty book. */
export function createRequestBook(options: DoubleServerOptions): RequestBook {
  const { apiKey, api, toolbox, sockets, store, plan } = options;
  const requests: MutableRequest[] = [];
  const watchers = new Set<() => void>();

  async function open(incoming: IncomingMessage, method: string): Promise<OpenRequest> {
    const url = new URL(incoming.url ?? '/', 'http://loopback');
    const target = readTarget(url.pathname);
    const plane = target?.plane ?? 'api';
    const table = plane === 'api' ? api : method === 'WS' ? sockets : toolbox;
    const match = target === null ? null : findRoute<unknown>(table, method, target.path);
    const named = target?.sandboxId ?? match?.parameters['id'];
    const sandbox = named === undefined ? null : (store.find(named) ?? null);
    const headers = headersOf(incoming);
    const body = method === 'WS' ? null : await readJsonBody(incoming);
    const { promise: ended, resolve: end } = Promise.withResolvers<'answered' | 'closed'>();
    const entry: MutableRequest = {
      ...{ method, path: incoming.url ?? '', route: match?.route ?? null, plane },
      ...{ sandboxId: sandbox?.id ?? null, headers, body, status: null, ended },
    };
    requests.push(entry);
    for (const look of [...watchers]) look();
    const request: DoubleRequest = {
      ...{ method, path: target?.path ?? url.pathname, query: url.searchParams, parameters: match?.parameters ?? {} },
      ...{ headers, body: body ?? {}, incoming },
    };
    return {
      plane,
      request,
      sandbox,
      refusal: refusalOf(headers, apiKey, match?.route ?? null),
      takeFault: () => plan.take({ route: match?.route ?? '', names: namesOf(sandbox) }),
      handler(routes) {
        const handler = routes[match?.route ?? ''];
        if (handler === undefined) throw new AnswerError(404, `Cannot ${method} ${url.pathname}`);
        return handler;
      },
      currentSandbox: () => store.get(named ?? ''),
      setStatus(status) {
        entry.status ??= status;
      },
      end,
    };
  }

  return {
    requests,
    open,
    whenRequested: (route, count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (requests.filter((request) => request.route === route).length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
  };
}

function refusalOf(
  headers: Readonly<Record<string, string>>,
  apiKey: string,
  route: string | null,
): AnswerError | null {
  if (!isAllowed(headers['authorization'] ?? '', apiKey)) {
    return new AnswerError(401, 'Invalid credentials', { error: 'Unauthorized' });
  }
  return route === null ? new AnswerError(404, 'No such route', { error: 'Not Found' }) : null;
}

function isAllowed(authorization: string, apiKey: string): boolean {
  const [given, wanted] = [Buffer.from(authorization), Buffer.from(`Bearer ${apiKey}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

interface Target {
  readonly plane: 'api' | 'toolbox';
  readonly sandboxId?: string;
  readonly path: string;
}

function readTarget(path: string): Target | null {
  const parts = /^\/(?:(api)|toolbox\/([^/]+))(\/.*)$/.exec(path);
  if (parts === null) return null;
  const [, api, sandboxId, rest = '/'] = parts;
  if (api !== undefined) return { plane: 'api', path: rest };
  return { plane: 'toolbox', sandboxId: decodeURIComponent(sandboxId ?? ''), path: rest };
}

function headersOf(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = String(value);
  }
  return headers;
}

function namesOf(sandbox: SandboxRecord | null): readonly string[] {
  return sandbox === null ? [] : [sandbox.id, sandbox.name];
}
