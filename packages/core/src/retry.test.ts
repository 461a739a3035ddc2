import { describe, expect, test } from '@jest/globals';
import { backoffMs, ModelError, retry } from './index.ts';
import { createManualClock } from './testing/index.ts';

function overloaded(): ModelError {
  return new ModelError('The server is busy', { code: 'model.overloaded', retryable: true });
}

describe('retry', () => {
  test('runs until it succeeds, waiting longer each time', async () => {
    const clock = createManualClock();
    const waits: number[] = [];
    const run = retry(
      async (attempt) => {
        if (attempt < 4) throw overloaded();
        return attempt;
      },
      { clock, random: () => 0.5, onRetry: (_attempt, delayMs) => waits.push(delayMs) },
    );
    await clock.advance(60_000);
    await expect(run).resolves.toBe(4);
    expect(waits).toEqual([500, 1_000, 2_000]);
  });

  test('gives the last error unchanged when the attempts are used up', async () => {
    const clock = createManualClock();
    const errors: unknown[] = [];
    const run = retry(
      async () => {
        const error = overloaded();
        errors.push(error);
        throw error;
      },
      { attempts: 3, clock, random: () => 0 },
    );
    const caught = run.catch((error: unknown) => error);
    await clock.advance(0);
    expect(await caught).toBe(errors[2]);
    expect(errors).toHaveLength(3);
  });

  test('never repeats an error that is not marked as retryable', async () => {
    let attempts = 0;
    await expect(
      retry(async () => {
        attempts += 1;
        throw new ModelError('Wrong key', { code: 'model.unauthorized' });
      }),
    ).rejects.toThrow('Wrong key');
    expect(attempts).toBe(1);
  });

  test('waits as long as the error asks', async () => {
    const clock = createManualClock();
    const startedAt = clock.now();
    const run = retry(
      async (attempt) => {
        if (attempt === 1) throw overloaded();
        return clock.now() - startedAt;
      },
      { clock, delayOf: () => 7_000 },
    );
    await clock.advance(7_000);
    await expect(run).resolves.toBe(7_000);
  });

  test('an abort ends the wait with its reason', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const run = retry(() => Promise.reject(overloaded()), { clock, signal: controller.signal });
    const caught = run.catch((error: unknown) => error);
    await clock.advance(0);
    controller.abort('stop');
    expect(await caught).toBe('stop');
    expect(clock.pendingCount).toBe(0);
  });
});

test('backoffMs stays below the cap', () => {
  expect(backoffMs(40, { random: () => 0.999 })).toBeLessThan(30_000);
  expect(backoffMs(1, { random: () => 0 })).toBe(0);
});
