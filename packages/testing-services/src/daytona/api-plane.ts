import { Readable } from 'node:stream';
import { isJsonObject, type JsonObject, parseJson } from '@talaria/core';
import { type Answer, AnswerError, empty, json } from './answer.ts';
import type { DaytonaFault } from './daytona-fault.ts';
import { type DoubleRequest, textMapField } from './double-request.ts';
import { type SandboxRecord, sandboxJson } from './sandbox-record.ts';
import type { SandboxStore } from './sandbox-store.ts';

/** What the API plane needs. */
export interface ApiPlaneOptions {
  readonly store: SandboxStore;
  /** Base of the toolbox plane. */
  readonly toolboxUrl: () => string;
  /** Base of the API plane. */
  readonly apiUrl: () => string;
  readonly nowMs: () => number;
}

/** Serves one request of the API plane; the fault is one that only says how a sandbox is made. */
export type ApiHandler = (request: DoubleRequest, fault: DaytonaFault | null) => Promise<Answer>;

/** Sandboxes of one page where a call says nothing. */
const defaultPageSize = 100;

/** The routes of the API plane. */
export function createApiPlane(options: ApiPlaneOptions): Readonly<Record<string, ApiHandler>> {
  const { store, toolboxUrl, apiUrl, nowMs } = options;

  const show = (record: SandboxRecord): Answer => json(sandboxJson(record, toolboxUrl()));
  const of = (request: DoubleRequest): SandboxRecord => store.get(request.parameters['id'] ?? '');

  /** A route that changes something and shows the sandbox. */
  function change(action: (record: SandboxRecord, request: DoubleRequest) => Promise<void> | void): ApiHandler {
    return async (request) => {
      const record = of(request);
      await action(record, request);
      return show(record);
    };
  }

  /** A route that sets a number of minutes. */
  function minutes(set: (record: SandboxRecord, value: number) => void): ApiHandler {
    return change((record, request) => {
      const value = Number(request.parameters['minutes']);
      if (!Number.isInteger(value)) throw new AnswerError(400, 'The interval must be a whole number of minutes');
      set(record, value);
      store.reschedule(record);
    });
  }

  return {
    'POST /sandbox': async ({ body }, fault) => show(await store.create(body, fault)),
    'GET /sandbox': async ({ query }) => json(listPage(store.records, query, toolboxUrl())),
    'GET /sandbox/{id}': change(() => {}),
    'DELETE /sandbox/{id}': change((record) => store.destroy(record)),
    'POST /sandbox/{id}/start': change((record) => store.start(record)),
    'POST /sandbox/{id}/stop': change((record) => store.stop(record)),
    'POST /sandbox/{id}/archive': change((record) => store.archive(record)),
    'POST /sandbox/{id}/recover': change((record) => {
      throw new AnswerError(400, `Sandbox is not in a recoverable state: ${record.state}`);
    }),
    'PUT /sandbox/{id}/labels': async (request) => {
      const record = of(request);
      record.labels = textMapField(request.body, 'labels');
      return json({ labels: record.labels });
    },
    'POST /sandbox/{id}/autostop/{minutes}': minutes((record, value) => {
      record.autoStopMinutes = value;
    }),
    'POST /sandbox/{id}/autoarchive/{minutes}': minutes((record, value) => {
      record.autoArchiveMinutes = value;
    }),
    'POST /sandbox/{id}/autodelete/{minutes}': minutes((record, value) => {
      record.autoDeleteMinutes = value;
    }),
    'POST /sandbox/{id}/ttl/{minutes}': minutes((record, value) => {
      record.destroyAtMs = value > 0 ? nowMs() + value * 60_000 : null;
    }),
    'POST /sandbox/{id}/last-activity': async (request) => {
      store.touch(of(request));
      return empty(201);
    },
    'GET /sandbox/{id}/toolbox-proxy-url': async (request) => {
      of(request);
      return json({ url: toolboxUrl() });
    },
    'GET /sandbox/{id}/build-logs-url': async (request) =>
      json({ url: `${apiUrl()}/sandbox/${of(request).id}/build-logs` }),
    'GET /sandbox/{id}/build-logs': async (request) => ({
      status: 200,
      headers: { 'content-type': 'application/octet-stream' },
      body: Readable.from(of(request).buildLog.map((line) => Buffer.from(`${line}\n`))),
    }),
  };
}

/** One page; the cursor is the id of the last sandbox of the page before. */
function listPage(records: readonly SandboxRecord[], query: URLSearchParams, toolboxUrl: string): JsonObject {
  const labels = parseJson(query.get('labels') ?? '{}');
  const wanted = labels.ok && isJsonObject(labels.value) ? Object.entries(labels.value) : [];
  const states = query.getAll('states').flatMap((value) => value.split(','));
  const name = query.get('name') ?? '';
  const fitting = records.filter(
    (record) =>
      wanted.every(([key, value]) => record.labels[key] === value) &&
      (states.length === 0 || states.includes(record.state)) &&
      record.name.startsWith(name),
  );
  const cursor = query.get('cursor');
  const start = cursor === null ? 0 : fitting.findIndex((record) => record.id === cursor) + 1;
  const page = fitting.slice(start, start + Number(query.get('limit') ?? defaultPageSize));
  const isLast = start + page.length >= fitting.length;
  return {
    items: page.map((record) => listItem(record, toolboxUrl)),
    nextCursor: isLast ? null : (page.at(-1)?.id ?? null),
  };
}

/** A list shows less of each sandbox than a call for it. */
function listItem(record: SandboxRecord, toolboxUrl: string): JsonObject {
  const { env: _env, buildInfo: _buildInfo, ...rest } = sandboxJson(record, toolboxUrl);
  return rest;
}
