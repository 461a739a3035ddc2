import { expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { endSurely } from './end-surely.ts';

test('what begins after the first attempt is ended by the next', async () => {
  const clock = createManualClock();
  const ended = Promise.withResolvers<void>();
  let attempts = 0;
  const result = endSurely(
    async () => {
      attempts += 1;
      if (attempts === 2) ended.resolve();
    },
    ended.promise,
    clock,
  );
  await clock.advance(1_000);
  expect(await result).toBe(true);
  expect([attempts, clock.pendingCount]).toEqual([2, 0]);
});

test('what never ends is given up', async () => {
  const clock = createManualClock();
  let attempts = 0;
  async function end(): Promise<void> {
    attempts += 1;
  }
  const result = endSurely(end, new Promise(() => undefined), clock);
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  expect(await result).toBe(false);
  expect(attempts).toBe(5);
});
