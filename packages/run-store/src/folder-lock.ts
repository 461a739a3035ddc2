import { link, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type CreateId, errorMessage, type Logger, StateError, systemErrorCode } from '@talaria/core';
import { encodeLockOwner, type LockOwner, readLockOwner } from './lock-owner.ts';
import { livenessOf, ownIdentity } from './process-identity.ts';
import { withStorageErrors } from './storage-error.ts';

/** What {@link acquireFolderLock} needs. */
export interface FolderLockOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createId: CreateId;
  readonly signal?: AbortSignal | undefined;
}

/** Name of the file that says who owns a run folder. */
export const lockFileName = 'lock';
const claimPrefix = 'lock.claim.';

/** Rounds in which two processes step back for each other before one gives up. */
const maxRounds = 60;

/**
 * Makes this process the only owner of a folder, until disposed of. The lock of a process that has ended is taken over.
 *
 * The lock appears by `link`, which is exclusive and shows the whole content at once. A stale lock is removed only by
 * the holder of a claim: a file of a unique name, made before looking for the claims of others. Of two processes at
 * least one sees the other and steps back, so no lock is ever removed that somebody else has just made.
 *
 * @throws StateError `state.locked` where the owner runs, or may run
 */
export async function acquireFolderLock(folder: string, options: FolderLockOptions): Promise<AsyncDisposable> {
  const { clock, logger, createId, signal } = options;
  const owner: LockOwner = { ...(await ownIdentity()), id: createId('lock'), acquiredAt: clock.now() };
  const lockPath = join(folder, lockFileName);
  const ticketPath = join(folder, `${lockFileName}.${owner.id}.tmp`);
  try {
    await withStorageErrors('lock', folder, () => writeFile(ticketPath, encodeLockOwner(owner), { flag: 'wx' }));
    for (let round = 0; round < maxRounds; round += 1) {
      signal?.throwIfAborted();
      if (await tryLink(ticketPath, lockPath)) return heldLock(lockPath, owner, logger);
      const holder = await readLockOwner(lockPath);
      if (holder === 'gone') continue;
      if (holder !== 'unreadable') await checkIsDead(folder, holder, owner);
      logger.info('lock.stale', { folder, pid: holder === 'unreadable' ? null : holder.pid });
      await removeStale({ folder, lockPath, ticketPath, holder, owner });
      await clock.sleep(backOffMs(owner, round), { signal });
    }
  } finally {
    await rm(ticketPath, { force: true });
  }
  throw new StateError(`The run folder ${folder} is being taken over by another process`, {
    code: 'state.locked',
    hint: `Wait for it, or choose another folder. If there is none, delete ${join(folder, `${claimPrefix}*`)}.`,
    retryable: true,
  });
}

function heldLock(lockPath: string, owner: LockOwner, logger: Logger): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      try {
        const holder = await readLockOwner(lockPath);
        // Somebody may have deleted our lock by hand and begun another run.
        if (holder !== 'gone' && holder !== 'unreadable' && holder.id === owner.id) await rm(lockPath, { force: true });
      } catch (error) {
        logger.warn('lock.not-released', { lockPath, message: errorMessage(error) });
      }
    },
  };
}

/** Throws where the holder runs, or may run. */
async function checkIsDead(folder: string, holder: LockOwner, self: LockOwner): Promise<void> {
  const liveness = await livenessOf(holder, self);
  if (liveness === 'dead') return;
  const since = new Date(holder.acquiredAt).toISOString();
  const who = `process ${holder.pid} on ${holder.host} since ${since}`;
  throw new StateError(`The run folder ${folder} is in use by another run: ${who}`, {
    code: 'state.locked',
    hint:
      liveness === 'alive'
        ? 'Wait until it ends or stop it, or choose another folder.'
        : `It cannot be seen from here. If it has ended, delete ${join(folder, lockFileName)} and try again.`,
    retryable: liveness === 'alive',
  });
}

interface StaleLock {
  readonly folder: string;
  readonly lockPath: string;
  readonly ticketPath: string;
  readonly holder: LockOwner | 'unreadable';
  readonly owner: LockOwner;
}

async function removeStale({ folder, lockPath, ticketPath, holder, owner }: StaleLock): Promise<void> {
  const claimPath = join(folder, `${claimPrefix}${owner.id}`);
  await withStorageErrors('lock', folder, () => link(ticketPath, claimPath));
  try {
    if (await hasOtherClaim(folder, owner)) return;
    const current = await readLockOwner(lockPath);
    if (identifierOf(current) === identifierOf(holder)) await rm(lockPath, { force: true });
  } finally {
    await rm(claimPath, { force: true });
  }
}

/** Claims of processes that have ended are removed on the way: their names are unique, so nobody else's can be meant. */
async function hasOtherClaim(folder: string, owner: LockOwner): Promise<boolean> {
  let hasOther = false;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(claimPrefix) || name === `${claimPrefix}${owner.id}`) continue;
    const claimant = await readLockOwner(join(folder, name));
    if (claimant === 'gone') continue;
    if (claimant !== 'unreadable' && (await livenessOf(claimant, owner)) !== 'dead') hasOther = true;
    else await rm(join(folder, name), { force: true });
  }
  return hasOther;
}

async function tryLink(existingPath: string, path: string): Promise<boolean> {
  try {
    await link(existingPath, path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Different for each process, so that two that step back do not meet again. */
function backOffMs(owner: LockOwner, round: number): number {
  return Number.parseInt(owner.id.slice(-2), 16) % (10 * (round + 1));
}

function identifierOf(owner: LockOwner | 'gone' | 'unreadable'): string {
  return typeof owner === 'string' ? owner : owner.id;
}
