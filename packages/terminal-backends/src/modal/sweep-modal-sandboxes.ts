import { errorMessage, mapConcurrent } from '@talaria/core';
import type { Sandbox } from 'modal';
import type { SweepReport } from '../backend.ts';
import { isLeftover, readLeftoverRecords } from '../ledger/leftovers.ts';
import { sweepPending } from '../ledger/sweep-pending.ts';
import { endSandbox, findNamedSandbox } from './end-sandbox.ts';
import { findModalSandboxes } from './list-modal-sandboxes.ts';
import type { ModalSetup } from './modal-setup.ts';

const removalsAtOnce = 8;

/**
 * Ends sandboxes whose owner has died, and those of owners that cannot be judged from here once their time is over; then
 * removes what is written down about sandboxes that do not exist. Every step may be done twice.
 */
export async function sweepModalSandboxes(setup: ModalSetup, signal: AbortSignal | undefined): Promise<SweepReport> {
  signal?.throwIfAborted();
  const { clock, logger, ledger } = setup;
  await sweepPending(setup);
  const account = await setup.connect();
  const found = await findModalSandboxes(account, signal);
  const now = clock.now();
  const leftovers = found.filter(({ listing }) => isLeftover(listing, now));
  const known = new Map<string, Sandbox | null>(leftovers.map(({ listing, sandbox }) => [listing.id, sandbox]));
  const recorded = await readLeftoverRecords(ledger, { backend: 'modal', place: account.place }, now);
  for (const name of recorded) if (!known.has(name)) known.set(name, null);
  const removed: string[] = [];
  const failed: SweepReport['failed'][number][] = [];
  await mapConcurrent(
    [...known],
    removalsAtOnce,
    async ([name, listed]) => {
      try {
        const sandbox = listed ?? (await findNamedSandbox(account, name));
        if (sandbox !== null) await endSandbox(sandbox, clock, signal);
        await ledger.remove(name);
        if (sandbox !== null) removed.push(name);
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

/** Ends one sandbox, whoever owns it; says whether it ran. */
export async function removeModalSandbox(
  id: string,
  setup: ModalSetup,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  signal?.throwIfAborted();
  const found = await findModalSandboxes(await setup.connect(), signal);
  const sandbox = found.find(({ listing }) => listing.id === id)?.sandbox;
  if (sandbox === undefined) return false;
  await endSandbox(sandbox, setup.clock, signal);
  await setup.ledger.remove(id);
  return true;
}
