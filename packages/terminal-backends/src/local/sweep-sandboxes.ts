import { realpath } from 'node:fs/promises';
import { type Clock, errorMessage, type Logger, mapConcurrent } from '@talaria/core';
import type { SweepReport } from '../backend.ts';
import { endProcesses } from './end-processes.ts';
import { removeTree } from './file-access.ts';
import type { ProcessTable } from './process-table.ts';
import type { FoundEntry, SandboxLedger } from './sandbox-ledger.ts';
import { isRunning, judgeOwner, machineMark } from './sandbox-owner.ts';

/** What a sweep needs. */
export interface SweepTools {
  readonly ledger: SandboxLedger;
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly killGraceMs: number;
}

/** An entry that cannot be read was torn by a power cut, unless it is this new and a slow disk is still at it. */
const tornAfterMs = 10_000;
/** Writing an entry takes milliseconds; one of another machine that is this old is nobody's. */
const forgottenAfterMs = 3_600_000;
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
  const removed: string[] = [];
  const failed: SweepReport['failed'][number][] = [];
  if (leftovers.length === 0) return { removed, failed };
  const sandboxIds = leftovers.map(({ id }) => id);
  const folders = await Promise.all(sandboxIds.map((id) => realFolder(tools.ledger.folderOf(id))));
  await endProcesses({ sandboxIds, folders }, { ...tools, graceMs: tools.killGraceMs });
  await mapConcurrent(
    sandboxIds,
    removalsAtOnce,
    async (id) => {
      try {
        await removeTree(tools.ledger.folderOf(id));
        if (await tools.ledger.remove(id)) removed.push(id);
      } catch (error) {
        failed.push({ name: id, reason: errorMessage(error) });
        tools.logger.warn('sandbox.sweep-failed', { sandboxId: id, message: errorMessage(error) });
      }
    },
    { signal },
  );
  return { removed, failed };
}

/** Processes tell their folder without links; one that was never made has none. */
async function realFolder(folder: string): Promise<string> {
  return await realpath(folder).catch(() => folder);
}

/** Removes entries whose writers died before there was a sandbox. */
async function sweepPending({ ledger, clock }: SweepTools): Promise<void> {
  const here = await machineMark();
  for (const { name, machine, pid, writtenAt } of await ledger.listPending()) {
    const isWriting = machine === here ? await isRunning(pid) : clock.now() - writtenAt < forgottenAfterMs;
    if (!isWriting) await ledger.removePending(name);
  }
}

async function isLeftover(found: FoundEntry, clock: Clock): Promise<boolean> {
  if (found.entry === null) return clock.now() - found.writtenAt > tornAfterMs;
  return (await judgeOwner(found.entry.owner)) === 'dead';
}
