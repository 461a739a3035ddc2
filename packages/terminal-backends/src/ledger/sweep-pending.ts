import type { Clock } from '@talaria/core';
import { machineMark } from './machine-mark.ts';
import type { SandboxLedger } from './sandbox-ledger.ts';
import { isRunning } from './sandbox-owner.ts';

/** Writing an entry takes milliseconds; one of another machine that is this old is nobody's. */
const forgottenAfterMs = 3_600_000;

/** Removes entries whose writers died before there was a sandbox. */
export async function sweepPending({
  ledger,
  clock,
}: {
  readonly ledger: SandboxLedger;
  readonly clock: Clock;
}): Promise<void> {
  const here = await machineMark();
  for (const { name, machine, pid, writtenAt } of await ledger.listPending()) {
    const isWriting = machine === here ? await isRunning(pid) : clock.now() - writtenAt < forgottenAfterMs;
    if (!isWriting) await ledger.removePending(name);
  }
}
