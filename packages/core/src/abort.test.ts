import { describe, expect, test } from '@jest/globals';
import { DeadlineExceeded, isAbortOf, openDeadline, openOrDiscard, raceAbort } from './index.ts';
import { createManualClock } from './testing/index.ts';

describe('openDeadline', () => {
  test('aborts when the clock says so, and tells that from the parent', async () => {
    const clock = createManualClock();
    using deadline = openDeadline(clock, 100, undefined);
    await clock.advance(99);
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(deadline.signal.reason).toBeInstanceOf(DeadlineExceeded);
    expect(deadline.isExpired()).toBe(true);
  });

  test('follows the parent with its reason, and expires no more', async () => {
    const clock = createManualClock();
    const parent = new AbortController();
    using deadline = openDeadline(clock, 100, parent.signal);
    parent.abort('enough');
    await clock.advance(200);
    expect(deadline.signal.reason).toBe('enough');
    expect(deadline.isExpired()).toBe(false);
  });

  test('is aborted from the start where the parent is', () => {
    const clock = createManualClock();
    using deadline = openDeadline(clock, 100, AbortSignal.abort('before'));
    expect(deadline.signal.reason).toBe('before');
    expect(clock.pendingCount).toBe(0);
  });

  test.each([null, Number.POSITIVE_INFINITY])('with %s starts no timer', (timeoutMs) => {
    const clock = createManualClock();
    using _deadline = openDeadline(clock, timeoutMs, undefined);
    expect(clock.pendingCount).toBe(0);
  });

  test('leaves no timer behind once disposed of', () => {
    const clock = createManualClock();
    openDeadline(clock, 100, undefined)[Symbol.dispose]();
    expect(clock.pendingCount).toBe(0);
  });
});

describe('raceAbort', () => {
  test('rejects with the reason while the promise goes on', async () => {
    const controller = new AbortController();
    const race = raceAbort(new Promise(() => undefined), controller.signal);
    controller.abort('stop');
    await expect(race).rejects.toBe('stop');
  });

  test('passes the value and the error through', async () => {
    const { signal } = new AbortController();
    await expect(raceAbort(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(raceAbort(Promise.reject('broken'), signal)).rejects.toBe('broken');
    await expect(raceAbort(Promise.resolve(2), undefined)).resolves.toBe(2);
  });
});

describe('openOrDiscard', () => {
  test('rejects at once and disposes of what arrives too late', async () => {
    const controller = new AbortController();
    let finish: (resource: AsyncDisposable) => void = () => undefined;
    const disposed = new Promise<void>((resolve) => {
      const opening = openOrDiscard(() => new Promise<AsyncDisposable>((late) => (finish = late)), controller.signal);
      controller.abort('no longer wanted');
      opening.catch((reason) => {
        expect(reason).toBe('no longer wanted');
        finish({ [Symbol.asyncDispose]: async () => resolve() });
      });
    });
    await disposed;
  });

  test('a late arrival whose disposal fails harms nobody', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const disposals = [
      async () => Promise.reject(new Error('late')),
      () => {
        throw new Error('late at once');
      },
    ];
    for (const dispose of disposals) {
      const controller = new AbortController();
      const arrival = Promise.withResolvers<AsyncDisposable>();
      const opening = openOrDiscard(() => arrival.promise, controller.signal);
      controller.abort('no longer wanted');
      await expect(opening).rejects.toBe('no longer wanted');
      arrival.resolve({ [Symbol.asyncDispose]: dispose });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  test('does not begin where the signal is aborted already', async () => {
    let begun = 0;
    const create = () => {
      begun += 1;
      return Promise.resolve({ [Symbol.asyncDispose]: async () => undefined });
    };
    await expect(openOrDiscard(create, AbortSignal.abort('before'))).rejects.toBe('before');
    expect(begun).toBe(0);
  });
});

test('isAbortOf tells the signal’s own reason from other errors', () => {
  const reason = new Error('stop');
  expect(isAbortOf(reason, AbortSignal.abort(reason))).toBe(true);
  expect(isAbortOf(new Error('stop'), AbortSignal.abort(reason))).toBe(false);
  expect(isAbortOf(reason, undefined)).toBe(false);
});

test('the suite runs as ES modules', () => {
  expect(import.meta.url).toMatch(/^file:.*abort\.test\.ts$/);
});
