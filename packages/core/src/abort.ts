import type { Clock } from './clock.ts';

/** Whether `error` is what the signal was aborted with: to be passed on, never retried, never counted as a failure. */
export function isAbortOf(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && error === signal.reason;
}

/**
 * Settles like `promise`, or rejects with the signal's reason as soon as it is aborted.
 * The promise goes on: use it only where something else owns and ends the work.
 */
export function raceAbort<Value>(promise: PromiseLike<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return Promise.resolve(promise);
  return new Promise((resolve, reject) => {
    function stop(): void {
      reject(signal?.reason);
    }
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).then(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * Waits for a creation that cannot be cancelled. When the signal is aborted first, rejects at once with its reason and
 * disposes of the late arrival; a failure of that is its own to tell, as disposal does.
 */
export async function openOrDiscard<Resource extends AsyncDisposable>(
  create: () => Promise<Resource>,
  signal: AbortSignal | undefined,
): Promise<Resource> {
  signal?.throwIfAborted();
  const creation = create();
  try {
    return await raceAbort(creation, signal);
  } catch (error) {
    if (isAbortOf(error, signal)) {
      // Nobody waits any more: neither a creation that fails nor a disposal that does may end the process.
      creation.then((late) => late[Symbol.asyncDispose]()).catch(() => undefined);
    }
    throw error;
  }
}

/** A signal with a deadline: aborted by the parent or by the clock, and cleared when disposed of. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Whether the clock, not the parent, aborted it. */
  readonly isExpired: () => boolean;
}

/** What a {@link Deadline} aborts with. */
export class DeadlineExceeded extends Error {
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`Not done within ${timeoutMs} ms`);
    this.name = 'DeadlineExceeded';
    this.timeoutMs = timeoutMs;
  }
}

/** Starts a deadline `timeoutMs` from now; `null` or `Infinity` means that only the parent can abort. Use with `using`. */
export function openDeadline(clock: Clock, timeoutMs: number | null, parent: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let isExpired = false;
  let cancel: (() => void) | undefined;
  function follow(): void {
    cancel?.();
    controller.abort(parent?.reason);
  }
  if (parent?.aborted) follow();
  else {
    parent?.addEventListener('abort', follow, { once: true });
    if (timeoutMs !== null && timeoutMs !== Number.POSITIVE_INFINITY) {
      cancel = clock.schedule(timeoutMs, () => {
        isExpired = true;
        controller.abort(new DeadlineExceeded(timeoutMs));
      });
    }
  }
  return {
    signal: controller.signal,
    isExpired: () => isExpired,
    [Symbol.dispose]() {
      cancel?.();
      parent?.removeEventListener('abort', follow);
    },
  };
}
