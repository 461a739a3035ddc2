import { realpath } from 'node:fs/promises';
import { type Clock, errorMessage, type Logger, mapConcurrent } from '@talaria/core';
import type { SweepReport } from '../backend.ts';
import { isLocalLeftover } from '../ledger/leftovers.ts';
import type { FoundEntry, SandboxLedger } from '../ledger/sandbox-ledger.ts';
import { sweepPending } from '../ledger/sweep-pending.ts';
import { endProcesses, findMarked, type ProcessMark } from './end-processes.ts';
import { localError } from './local-error.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';
import { removeTree } from './remove-tree.ts';

/** What a sweep needs. */
export interface SweepTools {
  readonly ledger: SandboxLedger;
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly killGraceMs: number;
}

/** An entry without a whole text was torn by a power cut, unless it is this new and a slow disk is still at it. */
const tornAfterMs = 10_000;
const removalsAtOnce = 4;

/**
 * Removes what owners that no longer live left behind. Every step may be done twice, so sweeps of several processes at
 * once do no harm; the entry goes last, so that a sweep that was itself killed is taken up by the next.
 */
export async function sweepSandboxes(tools: SweepTools, signal: AbortSignal | undefined): Promise<SweepReport> {
  signal?.throwIfAborted();
  await sweepPending(tools);
  const leftovers: FoundEntry[] = [];
  for (const found of await tools.ledger.list()) {
    signal?.throwIfAborted();
    if (await isLeftover(found, tools.clock)) leftovers.push(found);
  }
  return await removeSandboxes(
    leftovers.map(({ id }) => id),
    tools,
    signal,
  );
}

/** Ends everything that runs in some sandboxes, and removes them; whether anybody uses them is not asked. */
export async function removeSandboxes(
  ids: readonly string[],
  tools: SweepTools,
  signal: AbortSignal | undefined,
): Promise<SweepReport> {
  const removed: string[] = [];
  const failed: SweepReport['failed'][number][] = [];
  if (ids.length === 0) return { removed, failed };
  const places = await Promise.all(ids.map((id) => findPlace(tools.ledger, id)));
  const survivors = await endProcesses(markOf(places), { ...tools, graceMs: tools.killGraceMs });
  await mapConcurrent(
    places,
    removalsAtOnce,
    async (place) => {
      try {
        refuseSurvivors(place, places, survivors);
        await removeTree(place.folder);
        if (await tools.ledger.remove(place.id)) removed.push(place.id);
      } catch (error) {
        failed.push({ name: place.id, reason: errorMessage(error) });
        tools.logger.warn('sandbox.sweep-failed', { sandboxId: place.id, message: errorMessage(error) });
      }
    },
    { signal },
  );
  return { removed, failed };
}

/** A leftover and where it is. */
interface LeftoverPlace {
  readonly id: string;
  readonly folder: string;
}

/** Processes tell their folder without links; one that was never made has none. */
async function findPlace(ledger: SandboxLedger, id: string): Promise<LeftoverPlace> {
  const folder = ledger.folderOf(id);
  return { id, folder: await realpath(folder).catch(() => folder) };
}

/**
 * As long as something of a sandbox runs, its entry must stay: without it, no later sweep would look for that. What can
 * be told apart no longer, since the parent that it was found by has ended, counts for every sandbox.
 */
function refuseSurvivors(
  place: LeftoverPlace,
  places: readonly LeftoverPlace[],
  survivors: readonly ProcessEntry[],
): void {
  const ofOthers = findMarked(survivors, markOf(places.filter((other) => other !== place)));
  const own = survivors.filter((survivor) => !ofOthers.includes(survivor));
  if (own.length === 0) return;
  throw localError(`Processes of the sandbox ${place.id} could not be ended: ${own.map(({ pid }) => pid).join(', ')}`, {
    code: 'sandbox.failed',
    phase: 'dispose',
    started: true,
    hint: 'End them as the user that they belong to, and sweep again.',
  });
}

function markOf(places: readonly LeftoverPlace[]): ProcessMark {
  return { sandboxIds: places.map(({ id }) => id), folders: places.map(({ folder }) => folder) };
}

async function isLeftover({ entry, fault, writtenAt }: FoundEntry, clock: Clock): Promise<boolean> {
  if (entry === null) return fault === 'torn' && clock.now() - writtenAt > tornAfterMs;
  return entry.backend === 'local' && (await isLocalLeftover(entry, clock.now()));
}
