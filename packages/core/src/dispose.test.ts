import { describe, expect, test } from '@jest/globals';
import { createDisposalStack, settleWithin, systemClock } from './index.ts';
import { createManualClock, createMemoryLogger } from './testing/index.ts';

describe('createDisposalStack', () => {
  test('closes the newest first, once, and goes on after a failure', async () => {
    const logger = createMemoryLogger();
    const order: string[] = [];
    const stack = createDisposalStack({ logger });
    stack.use({ [Symbol.dispose]: () => void order.push('first') });
    stack.use({ [Symbol.asyncDispose]: async () => void order.push('second') });
    stack.defer(() => {
      throw new Error('broken');
    });
    stack.defer(() => void order.push('last'));
    await Promise.all([stack[Symbol.asyncDispose](), stack[Symbol.asyncDispose]()]);
    await stack[Symbol.asyncDispose]();
    expect(order).toEqual(['last', 'second', 'first']);
    expect(logger.entries).toEqual([{ level: 'warn', event: 'dispose.failed', fields: { message: 'broken' } }]);
  });
});

test('settleWithin leaves alone what takes too long', async () => {
  const logger = createMemoryLogger();
  expect(await settleWithin(() => new Promise(() => undefined), 1, logger)).toBe('timed-out');
  expect(logger.entries[0]?.event).toBe('dispose.timed-out');
});

describe('systemClock', () => {
  test('sleep rejects with the reason, before and while it waits', async () => {
    await expect(systemClock.sleep(60_000, { signal: AbortSignal.abort('before') })).rejects.toBe('before');
    const controller = new AbortController();
    const sleeping = systemClock.sleep(60_000, { signal: controller.signal, isBackground: true });
    controller.abort('while');
    await expect(sleeping).rejects.toBe('while');
  });

  test('schedule can be taken back', async () => {
    let isCalled = false;
    systemClock.schedule(1, () => (isCalled = true))();
    await systemClock.sleep(5);
    expect(isCalled).toBe(false);
  });
});

test('the manual clock runs timers in the order in which they fall due', async () => {
  const clock = createManualClock();
  const order: number[] = [];
  clock.schedule(20, () => void order.push(20));
  clock.schedule(10, () => void order.push(10));
  void clock.sleep(15).then(() => order.push(15));
  await clock.advance(30);
  expect(order).toEqual([10, 15, 20]);
});
