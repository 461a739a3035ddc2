import { type Clock, createSemaphore, systemClock } from '@talaria/core';
import { z } from 'zod';
import { opaque, parseOptions } from './parse-options.ts';

/** Options of {@link createRateLimiter}. */
export interface RateLimiterOptions {
  /** Most requests at the same time; it starts here and never goes above. @default 512 */
  readonly maxConcurrentRequests?: number | undefined;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
}

/** Leave to send one request. Dispose of it when the answer has come to its end, then say nothing more. */
export interface RequestSlot extends Disposable {
  /** The endpoint answered: the limit may grow. */
  succeeded(): void;
  /**
   * The endpoint said that it is too much: the limit is halved, once for all requests that were under way together.
   * With `pauseMs`, nobody is given leave for so long.
   */
  throttled(pauseMs?: number): void;
}

/**
 * How many requests one endpoint gets at the same time: first come, first served; halved when the endpoint says that it
 * is too much, and grown by one for each full round of successes. Share one among all models of an endpoint.
 */
export interface RateLimiter {
  /** Waits for leave to send a request. Rejects with the signal's reason. */
  acquire(signal?: AbortSignal): Promise<RequestSlot>;
  /** Requests allowed at the same time now. */
  readonly limit: number;
  readonly activeCount: number;
  readonly waitingCount: number;
}

const rateLimiterOptions = z.strictObject({
  maxConcurrentRequests: z.int().positive().default(512),
  clock: opaque<Clock | undefined>().optional(),
});

/** Creates a limiter at its maximum. @throws ConfigError `config.invalid` */
export function createRateLimiter(options: RateLimiterOptions = {}): RateLimiter {
  const { maxConcurrentRequests, clock = systemClock } = parseOptions(
    'RateLimiterOptions',
    rateLimiterOptions,
    options,
  );
  const semaphore = createSemaphore(maxConcurrentRequests);
  // The exact limit: additive growth moves it by fractions, the semaphore takes its whole part.
  let level = maxConcurrentRequests;
  // Counts reductions: a request that began before the last one has nothing new to say.
  let reductions = 0;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;

  function setLevel(next: number): void {
    level = Math.min(maxConcurrentRequests, Math.max(1, next));
    semaphore.resize(Math.floor(level));
  }

  function openSlot(place: Disposable): RequestSlot {
    const reductionsAtStart = reductions;
    return {
      succeeded() {
        if (level < maxConcurrentRequests) setLevel(level + 1 / level);
      },
      throttled(pauseMs = 0) {
        pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + pauseMs);
        if (reductionsAtStart !== reductions) return;
        reductions += 1;
        setLevel(Math.floor(level / 2));
      },
      [Symbol.dispose]: () => place[Symbol.dispose](),
    };
  }

  return {
    async acquire(signal) {
      const place = await semaphore.acquire(signal);
      try {
        for (
          let waitMs = pausedUntilMs - clock.monotonicMs();
          waitMs > 0;
          waitMs = pausedUntilMs - clock.monotonicMs()
        ) {
          await clock.sleep(waitMs, { signal });
        }
        return openSlot(place);
      } catch (error) {
        place[Symbol.dispose]();
        throw error;
      }
    },
    get limit() {
      return semaphore.limit;
    },
    get activeCount() {
      return semaphore.activeCount;
    },
    get waitingCount() {
      return semaphore.waitingCount;
    },
  };
}
