import { isAbortOf, raceAbort } from '@talaria/core';

/** Work that many may ask for at once and that is done once. */
export interface SharedWork<Value> {
  /**
   * Joins the work under way for this key, or starts it. It is aborted once everybody who waits has given up. Nothing is
   * kept of work that has ended.
   */
  join(key: string, work: (signal: AbortSignal) => Promise<Value>, signal: AbortSignal | undefined): Promise<Value>;
}

interface Underway<Value> {
  readonly promise: Promise<Value>;
  readonly stop: AbortController;
  waiting: number;
}

/** Creates it, with no work under way. */
export function createSharedWork<Value>(): SharedWork<Value> {
  const underway = new Map<string, Underway<Value>>();

  function start(key: string, work: (signal: AbortSignal) => Promise<Value>): Underway<Value> {
    const stop = new AbortController();
    const started: Underway<Value> = { promise: work(stop.signal), stop, waiting: 0 };
    function forget(): void {
      if (underway.get(key) === started) underway.delete(key);
    }
    started.promise.then(forget, forget);
    underway.set(key, started);
    return started;
  }

  return {
    async join(key, work, signal) {
      signal?.throwIfAborted();
      const mine = underway.get(key) ?? start(key, work);
      mine.waiting += 1;
      try {
        return await raceAbort(mine.promise, signal);
      } catch (error) {
        if (isAbortOf(error, signal) && mine.waiting === 1) {
          if (underway.get(key) === mine) underway.delete(key);
          mine.stop.abort(error);
        }
        throw error;
      } finally {
        mine.waiting -= 1;
      }
    },
  };
}
