import { errorMessage, settleWithin } from '@talaria/core';
import type { SandboxOwner } from '../ledger/sandbox-owner.ts';
import { removeTree } from '../local/remove-tree.ts';
import type { InstancePlan } from './instance-plan.ts';
import { stopInstance } from './instances.ts';
import type { SingularitySetup } from './singularity-setup.ts';

const maxRemovalMs = 60_000;

/** What takes a sandbox away, once, whoever asks for it. */
export interface Removal {
  /** Bounded in time; never throws. */
  readonly remove: () => Promise<void>;
  /** From then on nothing may be started any more. */
  readonly hasBegun: () => boolean;
  closeLater(resource: Disposable): void;
  /** Tells the first process of the instance, by which it can be ended faster than by its name. */
  endBy(find: () => Promise<SandboxOwner>): void;
}

/** Creates it; nothing is removed yet. */
export function createRemoval({ name, folder }: InstancePlan, setup: SingularitySetup): Removal {
  const { logger, ledger } = setup;
  const resources: Disposable[] = [];
  let removal: Promise<unknown> | undefined;
  let findFirst: (() => Promise<SandboxOwner>) | undefined;
  async function removeAll(): Promise<void> {
    try {
      await stopInstance(name, setup, await findFirst?.());
      for (const resource of resources.reverse()) resource[Symbol.dispose]();
      await removeTree(folder);
      await ledger.remove(name);
    } catch (error) {
      logger.warn('sandbox.removal-failed', { sandboxId: name, message: errorMessage(error) });
    }
  }
  return {
    hasBegun: () => removal !== undefined,
    closeLater: (resource) => void resources.push(resource),
    endBy(find) {
      findFirst = find;
    },
    async remove() {
      removal ??= settleWithin(removeAll, maxRemovalMs, logger);
      await removal;
    },
  };
}
