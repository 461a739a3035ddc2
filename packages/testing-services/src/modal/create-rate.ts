import type { Clock } from '@talaria/core';
import { CallError } from './call-error.ts';

/** Throws `RESOURCE_EXHAUSTED` where more than so many come within a second. */
export function createRateCheck(clock: Clock, perSecond: number | undefined): () => void {
  let recent: number[] = [];
  return () => {
    if (perSecond === undefined) return;
    const now = clock.monotonicMs();
    recent = recent.filter((at) => now - at < 1000);
    if (recent.length >= perSecond) throw new CallError('RESOURCE_EXHAUSTED', 'Sandbox create rate limit exceeded');
    recent.push(now);
  };
}
