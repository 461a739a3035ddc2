import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@talaria/core';
import { numberField, textMapField } from './double-request.ts';
import type { SandboxRecord } from './sandbox-record.ts';

/** What Daytona does where a call says nothing. */
const defaultMinutes = { autoStop: 15, autoArchive: 7 * 24 * 60, autoDelete: -1 };

/** A sandbox as the body of a create call wants it, before anything is started. */
export function newSandbox(asked: JsonObject, nowMs: number): SandboxRecord {
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
    destroyAtMs: ttlMinutes > 0 ? nowMs + ttlMinutes * 60_000 : null,
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
