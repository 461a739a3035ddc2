import { describe, expect, test } from '@jest/globals';
import { createSharedWork } from './shared-work.ts';

describe('createSharedWork', () => {
  test('does once what many ask for, and again once it has ended', async () => {
    const shared = createSharedWork<number>();
    let count = 0;
    const work = async () => {
      count += 1;
      return count;
    };
    expect(await Promise.all([1, 2, 3].map(() => shared.join('a', work, undefined)))).toEqual([1, 1, 1]);
    expect(await shared.join('a', work, undefined)).toBe(2);
  });

  test('keeps no failure', async () => {
    const shared = createSharedWork<number>();
    await expect(shared.join('a', () => Promise.reject(new Error('no')), undefined)).rejects.toThrow('no');
    expect(await shared.join('a', async () => 1, undefined)).toBe(1);
  });

  test('goes on while anybody waits, and is aborted when nobody does', async () => {
    const shared = createSharedWork<never>();
    const [first, second] = [new AbortController(), new AbortController()];
    const seen: AbortSignal[] = [];
    const work = (signal: AbortSignal) => {
      seen.push(signal);
      return new Promise<never>(() => undefined);
    };
    const waiting = [first, second].map(({ signal }) => shared.join('a', work, signal).catch((error) => error));
    first.abort('first');
    expect(await waiting[0]).toBe('first');
    expect(seen.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort('second');
    expect(await waiting[1]).toBe('second');
    expect(seen.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('starts anew after it was given up, without waiting for the old work', async () => {
    const shared = createSharedWork<string>();
    const stop = new AbortController();
    const given = shared.join('a', () => new Promise(() => undefined), stop.signal).catch((error) => error);
    stop.abort('stop');
    expect(await given).toBe('stop');
    expect(await shared.join('a', async () => 'new', undefined)).toBe('new');
  });
});
