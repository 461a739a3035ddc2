import { expect, test } from '@jest/globals';
import { raceAbort } from '@talaria/core';
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
    { clock },
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
  const result = endSurely(end, new Promise(() => undefined), { clock });
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  expect(await result).toBe(false);
  expect(attempts).toBe(5);
});

test('an attempt that never comes back is waited for one minute and the grace time, and no longer', async () => {
  const clock = createManualClock();
  const end = (signal: AbortSignal) => raceAbort(new Promise(() => undefined), signal);
  const result = endSurely(end, new Promise(() => undefined), { clock, graceMs: 5_000 });
  let isDone = false;
  result.then(() => {
    isDone = true;
  });
  await clock.advance(64_999);
  expect(isDone).toBe(false);
  await clock.advance(1);
  expect([await result, clock.pendingCount]).toEqual([false, 0]);
});

test('what an attempt has begun and cannot take back is waited for', async () => {
  const clock = createManualClock();
  const begun = Promise.withResolvers<void>();
  const result = endSurely(() => begun.promise, new Promise(() => undefined), { clock });
  let isDone = false;
  result.then(() => {
    isDone = true;
  });
  await clock.advance(80_000);
  expect(isDone).toBe(false);
  begun.resolve();
  expect([await result, clock.pendingCount]).toEqual([false, 0]);
});
