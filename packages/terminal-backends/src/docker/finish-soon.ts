import type { Clock } from '@talaria/core';

/** How long work that is not to be broken off may still take once it is no longer wanted. */
const maxLateMs = 30_000;

/**
 * Waits for work that nothing can stop without losing track of it, also after the signal came; but no longer than half a
 * minute after that: then it rejects with the signal's reason.
 */
export async function finishSoon<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
  clock: Clock,
): Promise<Value> {
  if (signal === undefined) return await work;
  const late = Promise.withResolvers<never>();
  let cancel: (() => void) | undefined;
  function wait(): void {
    cancel = clock.schedule(maxLateMs, () => late.reject(signal?.reason));
  }
  if (signal.aborted) wait();
  else signal.addEventListener('abort', wait, { once: true });
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    signal.removeEventListener('abort', wait);
    cancel?.();
  }
}
