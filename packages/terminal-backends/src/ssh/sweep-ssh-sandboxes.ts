import { type Clock, errorMessage, mapConcurrent } from '@talaria/core';
import type { SandboxListing, SweepReport } from '../backend.ts';
import { judgeOwner } from '../ledger/sandbox-owner.ts';
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
  const leftovers = listings.filter((listing) => isLeftover(listing, setup.clock));
  const recorded = await readLeftoverRecords(setup);
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

function isLeftover({ ownerState, expiresAt }: SandboxListing, clock: Clock): boolean {
  if (ownerState === 'dead') return true;
  return ownerState === 'unknown' && expiresAt !== null && expiresAt + 2 * watchdogMarginMs < clock.now();
}

/** Ids that dead owners wrote down for this server, whether or not the folder was made. */
async function readLeftoverRecords({ ledger, server }: SshSetup): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const { id, entry } of await ledger.list()) {
    if (entry?.backend !== 'ssh' || entry.place !== server) continue;
    if ((await judgeOwner(entry.owner)) === 'dead') ids.push(id);
  }
  return ids;
}
