import { errorMessage, openDeadline, raceAbort, retry } from '@talaria/core';
import type { Image, Sandbox } from 'modal';
import { createParams, type SandboxPlan } from './create-params.ts';
import { findOwnSandbox } from './end-sandbox.ts';
import type { ModalAccount } from './modal-account.ts';
import { isNameTaken, isPassing, isRefusal } from './modal-error.ts';
import type { ModalSetup } from './modal-setup.ts';

/** What a creation needs, and what is known of its attempts. */
export interface SandboxCreation {
  readonly account: ModalAccount;
  readonly plan: SandboxPlan;
  readonly setup: ModalSetup;
  /** Whether an attempt failed of which nobody knows whether it made the sandbox all the same. */
  isUncertain: boolean;
}

const defaultCreateTimeoutMs = 600_000;
const createAttempts = 5;

/**
 * Makes a sandbox, with waits of up to 1, 2, 4 and 8 seconds after failures that pass. A call is never broken off when the
 * signal comes, since it might be done all the same; only the time limit ends it.
 */
export async function createSandbox(image: Image, creation: SandboxCreation, signal: AbortSignal): Promise<Sandbox> {
  const { plan, setup } = creation;
  const { clock, logger, options } = setup;
  using deadline = openDeadline(clock, options.createTimeoutMs ?? defaultCreateTimeoutMs, undefined);
  return await retry(() => createOnce(image, creation, deadline.signal), {
    attempts: createAttempts,
    isRetryable: isPassing,
    onRetry: (attempt, delayMs, error) =>
      logger.debug('sandbox.create-retry', { sandboxId: plan.name, attempt, delayMs, message: errorMessage(error) }),
    clock,
    signal,
  });
}

async function createOnce(image: Image, creation: SandboxCreation, deadline: AbortSignal): Promise<Sandbox> {
  const { account, plan } = creation;
  const { client, cancellation } = account;
  const app = await account.openApp(deadline);
  try {
    return await cancellation.within(deadline, () =>
      raceAbort(client.sandboxes.create(app, image, createParams(plan)), deadline),
    );
  } catch (error) {
    if (!isNameTaken(error)) {
      creation.isUncertain ||= !isRefusal(error);
      throw error;
    }
    // An earlier attempt may have made it, and its answer was lost.
    const own = await findOwnSandbox(account, plan.name, plan.tags);
    if (own === null) throw error;
    return own;
  }
}
