import { readFile } from 'node:fs/promises';
import { isJsonObject, parseJson, systemErrorCode } from '@talaria/core';
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

const ownerRecord = z
  .object({
    id: z.string(),
    pid: z.int().positive(),
    start_ticks: z.string().nullable(),
    host: z.string(),
    boot_id: z.string().nullable(),
    pid_namespace: z.string().nullable(),
    acquired_at: z.number().min(0).max(maxTimeMs),
  })
  .transform((record) => ({
    id: record.id,
    pid: record.pid,
    startTicks: record.start_ticks,
    host: record.host,
    bootId: record.boot_id,
    pidNamespace: record.pid_namespace,
    acquiredAt: record.acquired_at,
  }));

/** The text of a lock file. */
export function encodeLockOwner(owner: LockOwner): string {
  return `${JSON.stringify({
    version: 1,
    id: owner.id,
    pid: owner.pid,
    start_ticks: owner.startTicks,
    host: owner.host,
    boot_id: owner.bootId,
    pid_namespace: owner.pidNamespace,
    acquired_at: owner.acquiredAt,
  })}\n`;
}

/** A lock is whole from its first moment: one that cannot be read was damaged by a loss of power, so its owner is gone. */
export async function readLockOwner(path: string): Promise<LockOwner | 'gone' | 'unreadable'> {
  try {
    const parsed = parseJson(await readFile(path, 'utf8'));
    const owner = ownerRecord.safeParse(parsed.ok && isJsonObject(parsed.value) ? parsed.value : null);
    return owner.success ? owner.data : 'unreadable';
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 'gone';
    throw toStorageError(error, 'read', path);
  }
}
