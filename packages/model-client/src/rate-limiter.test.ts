import { describe, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import fc from 'fast-check';
import { createRateLimiter, type RequestSlot } from './index.ts';

async function acquireMany(limiter: ReturnType<typeof createRateLimiter>, count: number): Promise<RequestSlot[]> {
  const slots: RequestSlot[] = [];
  for (let index = 0; index < count; index += 1) slots.push(await limiter.acquire());
  return slots;
}

describe('createRateLimiter', () => {
  test('starts at its maximum and gives leave first come, first served', async () => {
    const limiter = createRateLimiter({ maxConcurrentRequests: 2 });
    const [first, second] = await acquireMany(limiter, 2);
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (number) => {
      using _slot = await limiter.acquire();
      order.push(number);
    });
    expect(limiter.waitingCount).toBe(3);
    first?.[Symbol.dispose]();
    second?.[Symbol.dispose]();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
    expect(limiter.activeCount).toBe(0);
  });

  test('halves once for all requests that were under way together', async () => {
    const limiter = createRateLimiter({ maxConcurrentRequests: 16 });
    const slots = await acquireMany(limiter, 16);
    for (const slot of slots) slot.throttled();
    expect(limiter.limit).toBe(8);
    for (const slot of slots) slot[Symbol.dispose]();
    const [later] = await acquireMany(limiter, 1);
    later?.throttled();
    expect(limiter.limit).toBe(4);
  });

  test('grows by one for each full round of successes, up to the maximum', async () => {
    const limiter = createRateLimiter({ maxConcurrentRequests: 4 });
    const [slot] = await acquireMany(limiter, 1);
    slot?.throttled();
    expect(limiter.limit).toBe(2);
    for (let success = 0; success < 3; success += 1) slot?.succeeded();
    expect(limiter.limit).toBe(3);
    for (let success = 0; success < 20; success += 1) slot?.succeeded();
    expect(limiter.limit).toBe(4);
  });

  test('never falls below one', async () => {
    const limiter = createRateLimiter({ maxConcurrentRequests: 3 });
    for (let round = 0; round < 5; round += 1) {
      using slot = await limiter.acquire();
      slot.throttled();
    }
    expect(limiter.limit).toBe(1);
  });

  test('gives nobody leave during a pause, and lets a waiting one go', async () => {
    const clock = createManualClock();
    const limiter = createRateLimiter({ maxConcurrentRequests: 4, clock });
    using slot = await limiter.acquire();
    slot.throttled(5_000);
    let isGranted = false;
    const patient = limiter.acquire().then((granted) => {
      isGranted = true;
      return granted;
    });
    const reason = new Error('stop');
    const controller = new AbortController();
    const impatient = limiter.acquire(controller.signal);
    await clock.advance(4_999);
    expect(isGranted).toBe(false);
    controller.abort(reason);
    await expect(impatient).rejects.toBe(reason);
    await clock.advance(1);
    (await patient)[Symbol.dispose]();
    expect(clock.pendingCount).toBe(0);
    expect(limiter.activeCount).toBe(1);
  });

  test('keeps within its limit and loses no place, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('succeeded', 'throttled', 'aborted'), { maxLength: 60 }),
        async (events) => {
          const limiter = createRateLimiter({ maxConcurrentRequests: 5 });
          let active = 0;
          await Promise.all(
            events.map(async (event) => {
              const controller = new AbortController();
              if (event === 'aborted') queueMicrotask(() => controller.abort(event));
              try {
                using slot = await limiter.acquire(controller.signal);
                active += 1;
                expect(active).toBeLessThanOrEqual(5);
                await Promise.resolve();
                if (event === 'succeeded') slot.succeeded();
                if (event === 'throttled') slot.throttled();
                active -= 1;
              } catch (error) {
                expect(error).toBe('aborted');
              }
            }),
          );
          expect(limiter.activeCount).toBe(0);
          expect(limiter.waitingCount).toBe(0);
          expect(limiter.limit).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });

  test('refuses a limit that is none', () => {
    expect(() => createRateLimiter({ maxConcurrentRequests: 0 })).toThrow(
      expect.objectContaining({
        code: 'config.invalid',
        message: expect.stringContaining('RateLimiterOptions.maxConcurrentRequests is 0'),
      }),
    );
  });
});
