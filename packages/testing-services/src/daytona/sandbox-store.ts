import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Clock, JsonObject } from '@talaria/core';
import { openSandboxRoot } from '../sandbox-root/open-sandbox-root.ts';
import type { RootIsolation } from '../sandbox-root/sandbox-root.ts';
import { AnswerError } from './answer.ts';
import type { DaytonaFault } from './daytona-fault.ts';
import { numberField, textMapField } from './double-request.ts';
import { homeOf, type SandboxRecord } from './sandbox-record.ts';

const minuteMs = 60_000;
/** What Daytona does where a call says nothing. */
const defaultMinutes = { autoStop: 15, autoArchive: 7 * 24 * 60, autoDelete: -1 };

/** All sandboxes of a double and what happens to them by itself. Disposing ends them all. */
export interface SandboxStore extends AsyncDisposable {
  readonly records: ReadonlyMap<string, SandboxRecord>;
  /** By id or name. @throws AnswerError 404 */
  get(idOrName: string): SandboxRecord;
  find(idOrName: string): SandboxRecord | undefined;
  /** Makes a sandbox. Resolves when it is started, or at once where it takes its time or fails. */
  create(asked: JsonObject, fault: DaytonaFault | null): Promise<SandboxRecord>;
  start(record: SandboxRecord): Promise<void>;
  stop(record: SandboxRecord): Promise<void>;
  archive(record: SandboxRecord): Promise<void>;
  /** Ends its processes, removes its files, forgets it. */
  destroy(record: SandboxRecord): Promise<void>;
  /** Notes that somebody used it, which puts off the automatic stop. */
  touch(record: SandboxRecord): void;
  /** Takes new intervals into account. */
  reschedule(record: SandboxRecord): void;
}

/** Options of {@link createSandboxStore}. */
export interface SandboxStoreOptions {
  readonly clock: Clock;
  readonly isolation: RootIsolation | undefined;
}

/** Creates a store without sandboxes. */
export function createSandboxStore(options: SandboxStoreOptions): SandboxStore {
  const { clock, isolation } = options;
  const records = new Map<string, SandboxRecord>();
  const timers = new Map<string, () => void>();
  const working = new Set<Promise<void>>();
  const closing = new AbortController();

  /** Something that goes on by itself, which disposal waits for. */
  function goOn(work: Promise<void>): void {
    const settled = work.catch(() => {}).finally(() => working.delete(settled));
    working.add(settled);
  }

  function find(idOrName: string): SandboxRecord | undefined {
    return records.get(idOrName) ?? [...records.values()].find((record) => record.name === idOrName);
  }

  async function boot(record: SandboxRecord): Promise<void> {
    const isNew = record.root === null;
    record.root ??= await openSandboxRoot({
      folders: [homeOf(record)],
      allowNetwork: record.asked['networkBlockAll'] !== true,
      isolation,
    });
    if (!records.has(record.id)) {
      await record.root[Symbol.asyncDispose]();
      return;
    }
    if (!isNew) await record.root.start();
    record.stoppedAtMs = null;
    setState(record, 'started');
    store.touch(record);
  }

  function setState(record: SandboxRecord, state: SandboxRecord['state']): void {
    record.state = state;
    record.updatedAtMs = clock.now();
  }

  async function halt(record: SandboxRecord): Promise<void> {
    // What serves requests inside of a real one ends with it.
    for (const breakConnection of record.connections) breakConnection();
    await record.root?.stop();
    record.sessions.clear();
    record.ptys.clear();
  }

  const store: SandboxStore = {
    records,
    find,
    get(idOrName) {
      const record = find(idOrName);
      if (record !== undefined) return record;
      throw new AnswerError(404, `Sandbox with ID or name ${idOrName} not found`, { error: 'Not Found' });
    },
    async create(asked, fault) {
      const record = newRecord(asked, clock.now());
      if (find(record.name) !== undefined) {
        throw new AnswerError(409, `Sandbox with name ${record.name} already exists`, { error: 'Conflict' });
      }
      records.set(record.id, record);
      if (fault === null) await boot(record);
      else goOn(createSlowly(record, fault));
      return record;
    },
    async start(record) {
      if (record.state === 'started') return;
      if (record.state !== 'stopped' && record.state !== 'archived') {
        throw new AnswerError(400, `Sandbox is not in a state to be started: ${record.state}`);
      }
      setState(record, 'starting');
      await boot(record);
    },
    async stop(record) {
      if (record.state !== 'started') throw new AnswerError(400, 'Sandbox is not started');
      setState(record, 'stopping');
      await halt(record);
      record.stoppedAtMs = clock.now();
      setState(record, 'stopped');
      if (record.autoDeleteMinutes === 0) await store.destroy(record);
      else store.reschedule(record);
    },
    async archive(record) {
      if (record.state !== 'stopped') throw new AnswerError(400, 'Sandbox is not stopped');
      setState(record, 'archived');
      store.reschedule(record);
    },
    async destroy(record) {
      records.delete(record.id);
      timers.get(record.id)?.();
      timers.delete(record.id);
      setState(record, 'destroying');
      await halt(record);
      await record.root?.[Symbol.asyncDispose]();
      setState(record, 'destroyed');
    },
    touch(record) {
      record.lastActivityMs = clock.now();
      store.reschedule(record);
    },
    reschedule(record) {
      timers.get(record.id)?.();
      timers.delete(record.id);
      const next = nextEvent(record);
      if (next === null || !records.has(record.id)) return;
      const cancel = clock.schedule(Math.max(0, next.atMs - clock.now()), () => goOn(store[next.action](record)));
      timers.set(record.id, cancel);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.all([...records.values()].map((record) => store.destroy(record)));
      await Promise.all(working);
    },
  };

  async function createSlowly(record: SandboxRecord, fault: DaytonaFault): Promise<void> {
    if (fault.fault === 'slow') {
      setState(record, 'pending_build');
      record.buildLog.push(`Building image for ${record.name}`);
      await clock.sleep(fault.durationMs, { signal: closing.signal });
      if (!records.has(record.id)) return;
      setState(record, 'starting');
      await boot(record);
    } else if (fault.fault === 'build-failed') {
      setState(record, 'pending_build');
      record.buildLog.push(...fault.logs);
      // The create call is answered first.
      await setImmediate();
      record.errorReason = fault.reason ?? fault.logs.at(-1);
      setState(record, 'build_failed');
    } else if (fault.fault === 'create-failed') {
      record.errorReason = fault.reason;
      setState(record, 'error');
    }
  }

  return store;
}

/** What is done next by itself, and when. */
function nextEvent(record: SandboxRecord): { atMs: number; action: 'stop' | 'archive' | 'destroy' } | null {
  const events: { atMs: number; action: 'stop' | 'archive' | 'destroy' }[] = [];
  if (record.destroyAtMs !== null) events.push({ atMs: record.destroyAtMs, action: 'destroy' });
  if (record.state === 'started' && record.autoStopMinutes > 0) {
    events.push({ atMs: record.lastActivityMs + record.autoStopMinutes * minuteMs, action: 'stop' });
  }
  if (record.stoppedAtMs !== null && record.autoDeleteMinutes >= 0) {
    events.push({ atMs: record.stoppedAtMs + record.autoDeleteMinutes * minuteMs, action: 'destroy' });
  }
  if (record.stoppedAtMs !== null && record.state === 'stopped' && record.autoArchiveMinutes > 0) {
    events.push({ atMs: record.stoppedAtMs + record.autoArchiveMinutes * minuteMs, action: 'archive' });
  }
  return events.sort((one, other) => one.atMs - other.atMs)[0] ?? null;
}

function newRecord(asked: JsonObject, nowMs: number): SandboxRecord {
  const id = randomUUID();
  const { name, user } = asked;
  const ttlMinutes = numberField(asked, 'ttlMinutes') ?? 0;
  return {
    id,
    name: typeof name === 'string' && name !== '' ? name : id,
    asked,
    user: typeof user === 'string' && user !== '' ? user : 'daytona',
    env: textMapField(asked, 'env'),
    createdAtMs: nowMs,
    labels: textMapField(asked, 'labels'),
    state: 'creating',
    errorReason: undefined,
    autoStopMinutes: numberField(asked, 'autoStopInterval') ?? defaultMinutes.autoStop,
    autoArchiveMinutes: numberField(asked, 'autoArchiveInterval') ?? defaultMinutes.autoArchive,
    autoDeleteMinutes: numberField(asked, 'autoDeleteInterval') ?? defaultMinutes.autoDelete,
    destroyAtMs: ttlMinutes > 0 ? nowMs + ttlMinutes * minuteMs : null,
    updatedAtMs: nowMs,
    lastActivityMs: nowMs,
    stoppedAtMs: null,
    buildLog: [],
    root: null,
    sessions: new Map(),
    ptys: new Map(),
    connections: new Set(),
  };
}
