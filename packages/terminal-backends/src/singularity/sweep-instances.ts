import { errorMessage, mapConcurrent } from '@talaria/core';
import type { SandboxListing, SweepReport } from '../backend.ts';
import { isLocalLeftover } from '../ledger/leftovers.ts';
import type { LedgerEntry } from '../ledger/sandbox-ledger.ts';
import { judgeOwner } from '../ledger/sandbox-owner.ts';
import { sweepPending } from '../ledger/sweep-pending.ts';
import { removeTree } from '../local/remove-tree.ts';
import { sweepBuilds } from './build-image.ts';
import { listInstances, stopInstance } from './instances.ts';
import type { SingularitySetup } from './singularity-setup.ts';

const removalsAtOnce = 4;

/** Tells of every sandbox of the ledger, whoever opened it. */
export async function listSingularitySandboxes(
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<readonly SandboxListing[]> {
  const entries = await readEntries(setup);
  if (entries.length === 0) return [];
  const running = new Set((await listInstances(setup, signal)).map(({ name }) => name));
  return await Promise.all(
    entries.map(async ({ id, taskId, owner, createdAt, expiresAt: endsAt }) => ({
      id,
      backend: 'singularity' as const,
      taskId,
      owner,
      ownerState: await judgeOwner(owner),
      createdAt,
      expiresAt: Number.isFinite(endsAt) ? endsAt : null,
      state: running.has(id) ? 'running' : 'not running',
    })),
  );
}

/**
 * Removes what owners that have died left on this machine. Every step may be done twice, so sweeps of several processes at
 * once do no harm; the entry goes last, so that a sweep that was itself killed is taken up by the next.
 */
export async function sweepInstances(setup: SingularitySetup, signal: AbortSignal | undefined): Promise<SweepReport> {
  signal?.throwIfAborted();
  await sweepPending(setup);
  await sweepBuilds(setup);
  const removed: string[] = [];
  const failed: SweepReport['failed'][number][] = [];
  await mapConcurrent(
    await readEntries(setup),
    removalsAtOnce,
    async (entry) => {
      if (!(await isLocalLeftover(entry, setup.clock.now()))) return;
      try {
        await removeEntry(entry, setup);
        removed.push(entry.id);
      } catch (error) {
        failed.push({ name: entry.id, reason: errorMessage(error) });
        setup.logger.warn('sandbox.sweep-failed', { sandboxId: entry.id, message: errorMessage(error) });
      }
    },
    { signal },
  );
  return { removed, failed };
}

/** Removes one sandbox of the ledger, whoever owns it; says whether it was there. */
export async function removeSingularitySandbox(
  id: string,
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  signal?.throwIfAborted();
  const entry = (await readEntries(setup)).find((known) => known.id === id);
  if (entry === undefined) return false;
  await removeEntry(entry, setup);
  return true;
}

async function removeEntry({ id, place }: LedgerEntry, setup: SingularitySetup): Promise<void> {
  await stopInstance(id, setup);
  await removeTree(place);
  await setup.ledger.remove(id);
}

async function readEntries({ ledger }: SingularitySetup): Promise<readonly LedgerEntry[]> {
  const found = await ledger.list();
  return found
    .map(({ entry }) => entry)
    .filter((entry) => entry !== null)
    .filter(({ backend }) => backend === 'singularity');
}
