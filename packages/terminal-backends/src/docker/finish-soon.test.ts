import { describe, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { finishSoon } from './finish-soon.ts';

describe('finishSoon', () => {
  test('gives what the work gives, also after the signal came', async () => {
    const clock = createManualClock();
    const work = Promise.withResolvers<string>();
    const controller = new AbortController();
    const finished = finishSoon(work.promise, controller.signal, clock);
    controller.abort('stop');
    await clock.advance(29_000);
    work.resolve('done');
    expect(await finished).toBe('done');
    expect(clock.pendingCount).toBe(0);
  });

  test('gives up work that hangs, a while after the signal came and not before', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const finished = finishSoon(new Promise(() => undefined), controller.signal, clock).catch((error) => error);
    await clock.advance(100_000);
    expect(clock.pendingCount).toBe(0);
    controller.abort('stop');
    await clock.advance(30_000);
    expect(await finished).toBe('stop');
  });
});
