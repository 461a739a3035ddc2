import { errorMessage, mapConcurrent } from '@talaria/core';
import type { SweepReport } from '../backend.ts';
import { isLeftover, readLeftoverRecords } from '../ledger/leftovers.ts';
import { sweepPending } from '../ledger/sweep-pending.ts';
import { listSshSandboxes } from './list-ssh-sandboxes.ts';
import type { SshSetup } from './open-ssh-sandbox.ts';
import { isSandboxId, type PlaceTools, removePlace, watchdogMarginMs } from './ssh-place.ts';

const removalsAtOnce = 4;

/**
 * Removes from the server what owners left that have died, and what outlived its time where the owner cannot be judged
 * from here (the watchdog does not survive a restart of the server); then what is written down about sandboxes that do not
 * exist. Every step may be done twice; the entry goes last, so that a sweep that was itself killed is taken up by the next.
 */
export async function sweepSshSandboxes(
  setup: SshSetup,
  tools: PlaceTools,
  signal: AbortSignal | undefined,
): Promise<SweepReport> {
  signal?.throwIfAborted();
  await sweepPending(setup);
  const listings = await listSshSandboxes(tools, signal);
  // The watchdog comes first.
  const now = setup.clock.now() - 2 * watchdogMarginMs;
  const leftovers = listings.filter((listing) => isLeftover(listing, now));
  const recorded = await readLeftoverRecords(setup.ledger, { backend: 'ssh', place: setup.server }, now);
  const present = new Set(listings.map(({ id }) => id));
  const ids = new Set([...leftovers.map(({ id }) => id), ...recorded].filter(isSandboxId));
  const removed: string[] = [];
  const failed: SweepReport['failed'][number][] = [];
  await mapConcurrent(
    [...ids],
    removalsAtOnce,
    async (id) => {
      try {
        await removePlace(id, tools, signal);
        await setup.ledger.remove(id);
        if (present.has(id)) removed.push(id);
      } catch (error) {
        signal?.throwIfAborted();
        failed.push({ name: id, reason: errorMessage(error) });
        setup.logger.warn('sandbox.sweep-failed', { sandboxId: id, message: errorMessage(error) });
      }
    },
    { signal },
  );
  return { removed, failed };
}

/** Removes one sandbox from the server, whoever owns it; says whether it was there. */
export async function removeSshSandbox(
  id: string,
  setup: SshSetup,
  tools: PlaceTools,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const listings = await listSshSandboxes(tools, signal);
  if (!isSandboxId(id) || !listings.some((listing) => listing.id === id)) return false;
  await removePlace(id, tools, signal);
  await setup.ledger.remove(id);
  return true;
}
