/** A number of places that are given out first come, first served. */
export interface Semaphore {
  /** Waits for a place; dispose of the result to give it back. Rejects with the signal's reason. */
  acquire(signal?: AbortSignal): Promise<Disposable>;
  /** Changes the number of places; those taken above a smaller limit run on. */
  resize(limit: number): void;
  readonly limit: number;
  readonly activeCount: number;
  readonly waitingCount: number;
}

interface Waiter {
  readonly grant: () => void;
}

/** Creates a semaphore of `limit` places (a positive integer, or `Infinity`). */
export function createSemaphore(limit: number): Semaphore {
  let places = limit;
  let activeCount = 0;
  const waiting = new Set<Waiter>();

  function grantNext(): void {
    for (const waiter of waiting) {
      if (activeCount >= places) return;
      waiting.delete(waiter);
      waiter.grant();
    }
  }

  function take(): Disposable {
    activeCount += 1;
    let isReleased = false;
    return {
      [Symbol.dispose]() {
        if (isReleased) return;
        isReleased = true;
        activeCount -= 1;
        grantNext();
      },
    };
  }

  return {
    acquire(signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (activeCount < places && waiting.size === 0) return Promise.resolve(take());
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          grant() {
            signal?.removeEventListener('abort', leave);
            resolve(take());
          },
        };
        function leave(): void {
          waiting.delete(waiter);
          reject(signal?.reason);
        }
        waiting.add(waiter);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
    resize(next) {
      places = next;
      grantNext();
    },
    get limit() {
      return places;
    },
    get activeCount() {
      return activeCount;
    },
    get waitingCount() {
      return waiting.size;
    },
  };
}
