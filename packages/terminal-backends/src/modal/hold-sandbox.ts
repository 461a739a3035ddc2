import { errorMessage, openDeadline, raceAbort, settleWithin } from '@talaria/core';
import type { Image, Sandbox } from 'modal';
import type { SandboxPlan } from './create-params.ts';
import { createSandbox, type SandboxCreation } from './create-sandbox.ts';
import { endSandbox, findOwnSandbox } from './end-sandbox.ts';
import type { ModalAccount } from './modal-account.ts';
import type { ModalSetup } from './modal-setup.ts';

/** A sandbox from before it is made until after it is gone. */
export interface HeldSandbox {
  /** Makes it. When the signal is aborted, rejects at once; what comes late is then taken away by `remove`. */
  create(image: Image, signal: AbortSignal): Promise<Sandbox>;
  /**
   * Takes away what there is of it, and then its entry in the ledger; once. Waits at most 30 seconds; never throws. A
   * creation that was given up is waited for as well; where it takes longer, its removal goes on beside.
   */
  remove(): Promise<void>;
}

const maxRemovalMs = 30_000;

/** Holds a sandbox whose entry stands in the ledger. */
export function holdSandbox(account: ModalAccount, plan: SandboxPlan, setup: ModalSetup): HeldSandbox {
  const { clock, logger, ledger } = setup;
  const creation: SandboxCreation = { account, plan, setup, isUncertain: false };
  let made: Promise<Sandbox | null> = Promise.resolve(null);
  let removal: Promise<void> | undefined;

  async function takeAway(signal: AbortSignal): Promise<void> {
    const sandbox = (await made) ?? (creation.isUncertain ? await findOwnSandbox(account, plan.name, plan.tags) : null);
    if (sandbox !== null) await endSandbox(sandbox, clock, signal);
    // What may yet appear keeps its entry, so that a later sweep looks for it.
    if (sandbox !== null || !creation.isUncertain) await ledger.remove(plan.name);
  }

  /** Its time begins when there is something to take away. */
  async function takeAwayOnce(): Promise<void> {
    await made;
    using deadline = openDeadline(clock, maxRemovalMs, undefined);
    try {
      await takeAway(deadline.signal);
    } catch (error) {
      logger.warn('sandbox.removal-failed', { sandboxId: plan.name, message: errorMessage(error) });
    }
  }

  return {
    async create(image, signal) {
      const making = createSandbox(image, creation, signal);
      made = making.catch(() => null);
      return await raceAbort(making, signal);
    },
    async remove() {
      removal ??= settleWithin(takeAwayOnce, maxRemovalMs, logger).then(() => undefined);
      await removal;
    },
  };
}
