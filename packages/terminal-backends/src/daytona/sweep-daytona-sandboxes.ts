import type { Sandbox } from '@daytona/sdk';
import { errorMessage, mapConcurrent, openDeadline } from '@talaria/core';
import type { SandboxListing, SweepReport } from '../backend.ts';
import { isLeftover, readLeftoverRecords } from '../ledger/leftovers.ts';
import { judgeSharedOwner, type OwnerState } from '../ledger/sandbox-owner.ts';
import { sweepPending } from '../ledger/sweep-pending.ts';
import type { DaytonaConnection } from './daytona-connection.ts';
import { explainDaytonaError } from './daytona-error.ts';
import type { DaytonaSetup } from './daytona-setup.ts';
import { deleteSandbox } from './remove-sandbox.ts';
import { readLabels, sandboxLabels } from './sandbox-labels.ts';

const pageSize = 100;
const removalsAtOnce = 8;
const maxRemovalMs = 60_000;
/** Such are on their way out by themselves. */
const goneStates: ReadonlySet<string> = new Set(['destroying', 'destroyed']);

/** Tells of every sandbox that bears Talaria's labels, in any state, whoever made it. */
export async function listDaytonaSandboxes(
  { client, apiUrl }: DaytonaConnection,
  signal?: AbortSignal,
): Promise<readonly SandboxListing[]> {
  const listings: SandboxListing[] = [];
  try {
    for await (const sandbox of client.list({ labels: { ...sandboxLabels }, limit: pageSize })) {
      signal?.throwIfAborted();
      if (!goneStates.has(sandbox.state ?? '')) listings.push(await describeSandbox(sandbox));
    }
    return listings;
  } catch (error) {
    throw explainDaytonaError(error, { action: 'list sandboxes', phase: 'dispose', apiUrl, signal });
  }
}

async function describeSandbox({ name, labels, createdAt, state }: Sandbox): Promise<SandboxListing> {
  const { taskId, owner, expiresAt } = readLabels(labels);
  const ownerState: OwnerState = owner === null ? 'unknown' : await judgeSharedOwner(owner);
  return {
    id: name,
    backend: 'daytona',
    taskId,
    owner,
    ownerState,
    createdAt: createdAt === undefined ? 0 : Date.parse(createdAt),
    expiresAt,
    state: state ?? 'unknown',
  };
}

/**
 * Removes sandboxes whose owner has died, in any state, and those of owners that cannot be judged from here once their time
 * is over; then what is written down about sandboxes that do not exist. Every step may be done twice.
 */
export async function sweepDaytonaSandboxes(
  connection: DaytonaConnection,
  setup: DaytonaSetup,
  signal: AbortSignal | undefined,
): Promise<SweepReport> {
  signal?.throwIfAborted();
  const { ledger, clock, logger } = setup;
  await sweepPending({ ledger, clock });
  const listings = await listDaytonaSandboxes(connection, signal);
  const now = clock.now();
  const leftovers = listings.filter((listing) => isLeftover(listing, now));
  const recorded = await readLeftoverRecords(ledger, { backend: 'daytona', place: connection.apiUrl }, now);
  const names = new Set([...leftovers.map(({ id }) => id), ...recorded]);
  const removed: string[] = [];
  const failed: SweepReport['failed'][number][] = [];
  await mapConcurrent(
    [...names],
    removalsAtOnce,
    async (name) => {
      try {
        using deadline = openDeadline(clock, maxRemovalMs, signal);
        const wasThere = await deleteSandbox(connection, name, { clock, signal: deadline.signal });
        await ledger.remove(name);
        if (wasThere) removed.push(name);
      } catch (error) {
        signal?.throwIfAborted();
        failed.push({ name, reason: errorMessage(error) });
        logger.warn('sandbox.sweep-failed', { sandboxId: name, message: errorMessage(error) });
      }
    },
    { signal },
  );
  return { removed, failed };
}

/** Removes one sandbox, whoever owns it; says whether it was there. */
export async function removeDaytonaSandbox(
  connection: DaytonaConnection,
  id: string,
  { ledger, clock }: DaytonaSetup,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const listings = await listDaytonaSandboxes(connection, signal);
  if (!listings.some((listing) => listing.id === id)) return false;
  using deadline = openDeadline(clock, maxRemovalMs, signal);
  try {
    await deleteSandbox(connection, id, { clock, signal: deadline.signal });
  } catch (error) {
    throw explainDaytonaError(error, { action: `remove ${id}`, phase: 'dispose', ...connection, signal });
  }
  await ledger.remove(id);
  return true;
}
