import { describe, expect, test } from '@jest/globals';
import { openDeadline } from './index.ts';
import { createManualClock } from './testing/index.ts';

describe('openDeadline', () => {
  test('aborts when the clock says so, and tells that from the parent', async () => {
    const clock = createManualClock();
    using deadline = openDeadline(clock, 100, undefined);
    await clock.advance(99);
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(deadline.signal.aborted).toBe(true);
    expect(deadline.isExpired()).toBe(true);
    expect(import.meta.url).toMatch(/^file:/);
  });
});
