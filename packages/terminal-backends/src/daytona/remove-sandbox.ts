import type { Sandbox } from '@daytona/sdk';
import { type Clock, settleWithin } from '@talaria/core';
import type { DaytonaConnection } from './daytona-connection.ts';
import { judgeFailure, readDaytonaFailure } from './daytona-error.ts';
import type { DaytonaSetup } from './daytona-setup.ts';
import type { SandboxRequests } from './sandbox-requests.ts';

const deleteSeconds = 30;
const firstPauseMs = 200;
const maxUnreached = 3;
const maxPauseMs = 2_000;

/**
 * Has a sandbox deleted, by its name, whatever its state; says whether it was there. What cannot be deleted at this moment,
 * since something else happens to it, is tried again. @throws what the SDK throws; the signal's reason
 */
export async function deleteSandbox(
  { client }: DaytonaConnection,
  name: string,
  {
    clock,
    signal,
    known,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly known?: Sandbox | undefined },
): Promise<boolean> {
  let unreached = 0;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
    signal.throwIfAborted();
    try {
      const sandbox = known ?? (await client.get(name));
      await sandbox.delete(deleteSeconds);
      return true;
    } catch (error) {
      const failure = readDaytonaFailure(error);
      const kind = failure === null ? null : judgeFailure(failure);
      if (kind === 'missing') return false;
      unreached = kind === 'unreachable' ? unreached + 1 : 0;
      if (failure === null || kind === 'refused' || unreached >= maxUnreached) throw error;
      await clock.sleep(failure.retryAfterMs ?? pauseMs, { signal });
    }
  }
}

/** What takes a sandbox away. */
export interface Removal {
  /** It is being made: even where nobody waits any more, it may still come. */
  expect(creation: Promise<Sandbox>): void;
  /** There are requests to it, which end with it. */
  follow(requests: SandboxRequests): void;
  /** Removes it and forgets it; once. Bounded in time; never throws. */
  remove(): Promise<void>;
}

/** All of it: deleting takes a request or two, but a creation that is under way has to be waited for. */
const maxRemovalMs = 60_000;
const creationPauseMs = 500;
/** How long requests may take that are under way to a sandbox that is gone. */
const maxSettleMs = 15_000;
const unauthorizedStatus = 401;

/** Creates the removal of a sandbox that may not exist yet. */
export function createRemoval(name: string, connection: DaytonaConnection, setup: DaytonaSetup): Removal {
  const { clock, logger, ledger } = setup;
  let creation: Promise<Sandbox> | null = null;
  let created: Sandbox | undefined;
  let isUnderway = false;
  let requests: SandboxRequests | null = null;
  let removal: Promise<void> | null = null;

  async function removeAll(signal: AbortSignal): Promise<void> {
    // As long as the creation goes on, a sandbox may come after there was none to delete.
    while (isUnderway) {
      await deleteSandbox(connection, name, { clock, signal });
      await Promise.race([creation?.catch(() => undefined), clock.sleep(creationPauseMs, { isBackground: true })]);
    }
    await deleteSandbox(connection, name, { clock, signal, known: created });
  }

  async function remove(): Promise<void> {
    const limit = new AbortController();
    const work = async () => {
      if (creation !== null) await removeAll(limit.signal);
      await ledger.remove(name);
    };
    requests?.stop();
    // Where something may be left, the entry stays, so that a later sweep looks after it.
    await settleWithin(work, maxRemovalMs, logger);
    limit.abort();
    await settleWithin(async () => await requests?.settle(), maxSettleMs, logger);
  }

  return {
    expect(promise) {
      creation = promise;
      isUnderway = true;
      promise.then(
        (sandbox) => {
          created = sandbox;
          isUnderway = false;
        },
        (error: unknown) => {
          isUnderway = false;
          // Who is not let in has made nothing.
          if (readDaytonaFailure(error)?.status === unauthorizedStatus) creation = null;
        },
      );
    },
    follow(own) {
      requests = own;
    },
    remove() {
      removal ??= remove();
      return removal;
    },
  };
}
