import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSemaphore, mapConcurrent } from './index.ts';

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('createSemaphore', () => {
  test('gives places first come, first served', async () => {
    const semaphore = createSemaphore(1);
    const order: number[] = [];
    const first = await semaphore.acquire();
    const waiting = [2, 3, 4].map(async (number) => {
      using _place = await semaphore.acquire();
      order.push(number);
      await settle();
    });
    expect(semaphore.waitingCount).toBe(3);
    first[Symbol.dispose]();
    await Promise.all(waiting);
    expect(order).toEqual([2, 3, 4]);
    expect(semaphore.activeCount).toBe(0);
  });

  test('lets an aborted waiter go with the reason and keeps its place for the next', async () => {
    const semaphore = createSemaphore(1);
    const first = await semaphore.acquire();
    const controller = new AbortController();
    const leaving = semaphore.acquire(controller.signal);
    const staying = semaphore.acquire();
    controller.abort('gone');
    await expect(leaving).rejects.toBe('gone');
    first[Symbol.dispose]();
    (await staying)[Symbol.dispose]();
    expect(semaphore.activeCount).toBe(0);
    await expect(semaphore.acquire(AbortSignal.abort('before'))).rejects.toBe('before');
  });

  test('gives a place back once, however often it is disposed of', async () => {
    const semaphore = createSemaphore(1);
    const place = await semaphore.acquire();
    place[Symbol.dispose]();
    place[Symbol.dispose]();
    expect(semaphore.activeCount).toBe(0);
  });

  test('grants waiters when it grows and starts none above a smaller limit', async () => {
    const semaphore = createSemaphore(1);
    const first = await semaphore.acquire();
    const second = semaphore.acquire();
    semaphore.resize(2);
    const held = await second;
    semaphore.resize(1);
    const third = semaphore.acquire();
    held[Symbol.dispose]();
    await settle();
    expect(semaphore.activeCount).toBe(1);
    first[Symbol.dispose]();
    (await third)[Symbol.dispose]();
  });
});

describe('mapConcurrent', () => {
  test('keeps the order of the items and the limit, for any durations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 30 }), fc.integer({ min: 1, max: 8 }), async (turns, limit) => {
        let active = 0;
        let most = 0;
        const results = await mapConcurrent(turns, limit, async (count, index) => {
          active += 1;
          most = Math.max(most, active);
          for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
          active -= 1;
          return `${index}:${count}`;
        });
        expect(results).toEqual(turns.map((count, index) => `${index}:${count}`));
        expect(most).toBeLessThanOrEqual(limit);
      }),
    );
  });

  test('starts nothing after the first failure and waits for what was started', async () => {
    const started: number[] = [];
    let finished = 0;
    const run = mapConcurrent([0, 1, 2, 3, 4, 5], 2, async (item) => {
      started.push(item);
      if (item === 1) throw new Error('one');
      await settle();
      finished += 1;
    });
    await expect(run).rejects.toThrow('one');
    expect(started).toEqual([0, 1]);
    expect(finished).toBe(1);
  });

  test('starts nothing after an abort and rejects with its reason', async () => {
    const controller = new AbortController();
    const started: number[] = [];
    const run = mapConcurrent(
      [0, 1, 2, 3],
      1,
      async (item) => {
        started.push(item);
        if (item === 1) controller.abort('stop');
      },
      { signal: controller.signal },
    );
    await expect(run).rejects.toBe('stop');
    expect(started).toEqual([0, 1]);
  });

  test('draws from a generator only what it runs and closes it after a failure', async () => {
    let drawn = 0;
    let isClosed = false;
    function* items(): Generator<number> {
      try {
        for (;;) yield drawn++;
      } finally {
        isClosed = true;
      }
    }
    await expect(
      mapConcurrent(items(), 2, async (item) => {
        if (item === 3) throw new Error('three');
      }),
    ).rejects.toThrow('three');
    expect(drawn).toBeLessThan(8);
    expect(isClosed).toBe(true);
  });
});
