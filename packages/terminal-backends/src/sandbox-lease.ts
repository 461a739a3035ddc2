import { type Clock, isAbortOf, raceAbort, SandboxError, settleWithin, silentLogger, systemClock } from '@talaria/core';
import { type IdleWatch, watchIdle } from './idle-watch.ts';
import { closePlaced, type PlacedSandbox } from './placed-sandbox.ts';
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

/** Options of {@link createSandboxLease}. */
export interface SandboxLeaseOptions {
  /**
   * Closes the sandbox when nothing has used it for this time, for a holder that may be away for long, such as a session.
   * @default never
   */
  readonly idleMs?: number | undefined;
  /**
   * Whether `open` makes a new, empty sandbox after that. Otherwise it rejects with `sandbox.expired`: work that was
   * done in the old one is gone, and whoever goes on has to know.
   * @default false
   */
  readonly isRecreated?: boolean | undefined;
  /** @default the system's clock */
  readonly clock?: Clock | undefined;
}

interface Opening {
  readonly promise: Promise<PlacedSandbox>;
  readonly stop: AbortController;
  waiting: number;
}

/** Longest wait for what was given up or has expired, when a lease is disposed of. */
const maxEndingMs = 30_000;
const noPlace: Disposable = { [Symbol.dispose]: () => undefined };

/**
 * Creates a lease over a way to open a sandbox. Disposing ends an opening that is under way, closes the sandbox, waits up
 * to 30 seconds for openings that were given up before, and is idempotent; after it `open` rejects with `sandbox.closed`.
 */
export function createSandboxLease(
  openSandbox: (signal: AbortSignal) => Promise<Sandbox>,
  options: SandboxLeaseOptions = {},
): SandboxLease {
  return createPlacedLease(async (signal) => ({ sandbox: await openSandbox(signal), place: noPlace }), options);
}

/** The same over sandboxes that take a place, which is given back when the sandbox is gone, however that comes. */
export function createPlacedLease(
  openSandbox: (signal: AbortSignal) => Promise<PlacedSandbox>,
  options: SandboxLeaseOptions = {},
): SandboxLease {
  const { idleMs = Number.POSITIVE_INFINITY, isRecreated = false, clock = systemClock } = options;
  let opened: PlacedSandbox | undefined;
  let watch: IdleWatch | undefined;
  let hasExpired = false;
  /** Openings, those that were given up too, and closings of what has expired. None of them rejects. */
  const underWay = new Set<Promise<void>>();
  let opening: Opening | undefined;
  let disposal: Promise<void> | undefined;

  function start(): Opening {
    const stop = new AbortController();
    const promise = openSandbox(stop.signal).then(async (placed) => {
      // Nobody waits any more, and the opener did not notice.
      if (stop.signal.aborted) {
        await closePlaced(placed);
        throw stop.signal.reason;
      }
      opened = placed;
      if (idleMs !== Number.POSITIVE_INFINITY) watch = watchIdle(placed.sandbox, idleMs, clock, expire);
      return placed;
    });
    const started: Opening = { promise, stop, waiting: 0 };
    // A failure is not kept: the next call may try again.
    function forget(): void {
      if (opening === started) opening = undefined;
    }
    keep(promise.then(forget, forget));
    return started;
  }

  function keep(work: Promise<unknown>): void {
    const ended = work.then(
      () => void underWay.delete(ended),
      () => void underWay.delete(ended),
    );
    underWay.add(ended);
  }

  /** Nobody has used it for long. */
  function expire(): void {
    watch?.[Symbol.dispose]();
    watch = undefined;
    hasExpired = true;
    if (opened !== undefined) keep(closePlaced(opened));
    opened = undefined;
  }

  async function dispose(): Promise<void> {
    opening?.stop.abort(closedError());
    watch?.[Symbol.dispose]();
    try {
      if (opened !== undefined) await closePlaced(opened);
    } finally {
      opened = undefined;
      await settleWithin(async () => void (await Promise.all(underWay)), maxEndingMs, silentLogger);
    }
  }

  /** What the holder gets: the same sandbox, watched where it may expire. */
  function handleOf({ sandbox }: PlacedSandbox): SandboxHandle {
    return watch?.handle ?? sandbox;
  }

  return {
    async open({ signal } = {}) {
      signal?.throwIfAborted();
      if (disposal !== undefined) throw closedError();
      if (opened !== undefined) return handleOf(opened);
      if (hasExpired && !isRecreated) throw expiredError(idleMs);
      opening ??= start();
      const mine = opening;
      mine.waiting += 1;
      try {
        return handleOf(await raceAbort(mine.promise, signal));
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
      return disposal === undefined && opened !== undefined ? handleOf(opened) : undefined;
    },
    async killAll() {
      await opened?.sandbox.killAll();
    },
    [Symbol.asyncDispose]() {
      disposal ??= dispose();
      return disposal;
    },
  };
}

function expiredError(idleMs: number): SandboxError {
  return new SandboxError(`The sandbox was closed since nothing had used it for ${idleMs} ms`, {
    code: 'sandbox.expired',
    backend: 'lease',
    phase: 'exec',
    started: false,
    hint: 'Raise the idle limit, or allow a new, empty sandbox in its place.',
  });
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
