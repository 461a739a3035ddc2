import { readFile } from 'node:fs/promises';
import { isJsonObject, parseJson, StateError, systemErrorCode } from '@talaria/core';
import { z } from 'zod';
import type { ProcessIdentity } from './process-identity.ts';
import { toStorageError } from './storage-error.ts';

/** Who holds, or wants, a lock: the content of its file. */
export interface LockOwner extends ProcessIdentity {
  /** Unique per acquisition. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly acquiredAt: number;
}

/** The last moment that a `Date` can hold. */
const maxTimeMs = 8.64e15;

const lockVersion = 1;

/** `null` is an earlier spelling of what a system does not tell. */
const unknownPart = z
  .string()
  .nullable()
  .transform((text) => text ?? '');

const ownerRecord = z
  .object({
    id: z.string(),
    pid: z.int().positive(),
    start_ticks: z.string().nullable(),
    host: z.string(),
    boot_id: unknownPart,
    machine_id: z.string().default(''),
    pid_namespace: unknownPart,
    acquired_at: z.number().min(0).max(maxTimeMs),
  })
  .transform((record) => ({
    id: record.id,
    pid: record.pid,
    startTicks: record.start_ticks,
    host: record.host,
    bootId: record.boot_id,
    machineId: record.machine_id,
    pidNamespace: record.pid_namespace,
    acquiredAt: record.acquired_at,
  }));

/** The text of a lock file. */
export function encodeLockOwner(owner: LockOwner): string {
  return `${JSON.stringify({
    version: lockVersion,
    id: owner.id,
    pid: owner.pid,
    start_ticks: owner.startTicks,
    host: owner.host,
    boot_id: owner.bootId,
    machine_id: owner.machineId,
    pid_namespace: owner.pidNamespace,
    acquired_at: owner.acquiredAt,
  })}\n`;
}

/**
 * A lock is whole from its first moment: one that cannot be read was damaged by a loss of power, so its owner is gone.
 * @throws StateError `state.unknown-version` for that of a later version
 */
export async function readLockOwner(path: string): Promise<LockOwner | 'gone' | 'unreadable'> {
  try {
    const parsed = parseJson(await readFile(path, 'utf8'));
    const record = parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
    if (typeof record?.['version'] === 'number' && record['version'] > lockVersion) throw fromLaterVersion(path);
    const owner = ownerRecord.safeParse(record);
    return owner.success ? owner.data : 'unreadable';
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 'gone';
    throw toStorageError(error, 'read', path);
  }
}

function fromLaterVersion(path: string): StateError {
  return new StateError(`The lock ${path} was written by a later version of this program`, {
    code: 'state.unknown-version',
    hint: 'Go on with that version. If nothing runs there any more, delete the lock and try again.',
  });
}
