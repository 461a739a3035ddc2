import { createSemaphore, type Semaphore } from '@talaria/core';

/** Places for conversions. */
export interface ConverterPlaces {
  /** Waits for a place; dispose of the result to give it back. Rejects with the signal's reason. */
  acquire(caller: object | undefined, signal: AbortSignal): Promise<Disposable>;
}

/**
 * Creates `count` places, of which one caller takes no more than half, and waits for no more than that: the pages of one
 * rollout, each made to take long, leave room for those of others.
 */
export function createConverterPlaces(count: number): ConverterPlaces {
  const all = createSemaphore(count);
  const shares = new WeakMap<object, Semaphore>();

  function shareOf(caller: object): Semaphore {
    const share = shares.get(caller) ?? createSemaphore(Math.max(1, Math.floor(count / 2)));
    shares.set(caller, share);
    return share;
  }

  return {
    async acquire(caller, signal) {
      if (caller === undefined) return all.acquire(signal);
      const own = await shareOf(caller).acquire(signal);
      try {
        const place = await all.acquire(signal);
        return {
          [Symbol.dispose]() {
            place[Symbol.dispose]();
            own[Symbol.dispose]();
          },
        };
      } catch (error) {
        own[Symbol.dispose]();
        throw error;
      }
    },
  };
}
