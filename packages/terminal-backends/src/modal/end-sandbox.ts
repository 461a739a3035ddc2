import type { Clock } from '@talaria/core';
import type { Sandbox } from 'modal';
import type { ModalAccount } from './modal-account.ts';
import { hasEnded, isNotFound } from './modal-error.ts';
import { isSameSandbox } from './sandbox-tags.ts';

const firstPauseMs = 50;
const maxPauseMs = 1_000;

/**
 * Ends a sandbox and waits until it has ended, then lets go of it. One that is gone is no failure.
 * @throws what the SDK throws
 */
export async function endSandbox(sandbox: Sandbox, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sandbox.terminate();
    // Not by `wait`, which would go on for ever once nobody waits for it any more.
    for (let pauseMs = firstPauseMs; (await sandbox.poll()) === null; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      await clock.sleep(pauseMs, { signal });
    }
  } catch (error) {
    if (!hasEnded(error)) throw error;
  } finally {
    sandbox.detach();
  }
}

/** The running sandbox of a name; `null` where there is none. @throws what the SDK throws */
export async function findNamedSandbox({ client, appName }: ModalAccount, name: string): Promise<Sandbox | null> {
  try {
    return await client.sandboxes.fromName(appName, name);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** The running sandbox of a name, if it is the one that bears just these tags. @throws what the SDK throws */
export async function findOwnSandbox(
  account: ModalAccount,
  name: string,
  tags: Readonly<Record<string, string>>,
): Promise<Sandbox | null> {
  const found = await findNamedSandbox(account, name);
  return found !== null && isSameSandbox(await found.getTags(), tags) ? found : null;
}
