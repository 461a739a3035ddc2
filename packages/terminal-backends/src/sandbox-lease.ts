import { isAbortOf, raceAbort, SandboxError } from '@talaria/core';
import type { Sandbox, SandboxHandle } from './sandbox.ts';

/** A sandbox that is opened on first use and closed once, by whoever holds the lease. */
export interface SandboxLease extends AsyncDisposable {
  /**
   * The sandbox; opened now if it was not. Concurrent first calls share one opening, which is given up only when all of
   * them are aborted; a failed one may be tried again. @throws SandboxError `sandbox.closed` after disposal
   */
  open(options?: { readonly signal?: AbortSignal | undefined }): Promise<SandboxHandle>;
  /** The sandbox if it is open. */
  readonly opened: SandboxHandle | undefined;
  /** Ends every process in it, if it is open. */
  killAll(): Promise<void>;
}

interface Opening {
  readonly promise: Promise<Sandbox>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Creates a lease over a way to open a sandbox. Disposing ends an opening that is under way, closes the sandbox, and is
 * idempotent; after it `open` rejects with `sandbox.closed`.
 */
export function createSandboxLease(openSandbox: (signal: AbortSignal) => Promise<Sandbox>): SandboxLease {
  let opened: Sandbox | undefined;
  let opening: Opening | undefined;
  let disposal: Promise<void> | undefined;

  function start(): Opening {
    const stop = new AbortController();
    const promise = openSandbox(stop.signal).then(async (sandbox) => {
      // Nobody waits any more, and the opener did not notice.
      if (stop.signal.aborted) {
        await sandbox[Symbol.asyncDispose]();
        throw stop.signal.reason;
      }
      opened = sandbox;
      return sandbox;
    });
    const started: Opening = { promise, stop, waiting: 0 };
    // A failure is not kept: the next call may try again.
    promise
      .catch(() => undefined)
      .finally(() => {
        if (opening === started) opening = undefined;
      });
    return started;
  }

  async function dispose(): Promise<void> {
    const underWay = opening;
    underWay?.stop.abort(closedError());
    await underWay?.promise.catch(() => undefined);
    await opened?.[Symbol.asyncDispose]();
    opened = undefined;
  }

  return {
    async open({ signal } = {}) {
      signal?.throwIfAborted();
      if (disposal !== undefined) throw closedError();
      if (opened !== undefined) return opened;
      opening ??= start();
      const mine = opening;
      mine.waiting += 1;
      try {
        return await raceAbort(mine.promise, signal);
      } catch (error) {
        mine.waiting -= 1;
        if (isAbortOf(error, signal) && mine.waiting === 0) {
          if (opening === mine) opening = undefined;
          mine.stop.abort(error);
        }
        throw error;
      }
    },
    get opened() {
      return disposal === undefined ? opened : undefined;
    },
    async killAll() {
      await opened?.killAll();
    },
    [Symbol.asyncDispose]() {
      disposal ??= dispose();
      return disposal;
    },
  };
}

function closedError(): SandboxError {
  return new SandboxError('The lease of this sandbox has ended', {
    code: 'sandbox.closed',
    backend: 'lease',
    phase: 'create',
    started: false,
    hint: 'Use the sandbox before whoever holds the lease disposes of it.',
  });
}
