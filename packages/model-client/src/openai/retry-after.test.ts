import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { retryAfterMsOf } from './retry-after.ts';

const now = Date.UTC(2026, 0, 1, 0, 0, 0);

describe('retryAfterMsOf', () => {
  test.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['a fraction of seconds', { 'retry-after': '0.5' }, 500],
    ['an HTTP date', { 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' }, 90_000],
    ['the old form of a date', { 'retry-after': 'Thursday, 01-Jan-26 00:00:10 GMT' }, 10_000],
    ['a date that has passed', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    ['milliseconds before seconds', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    ['seconds where the milliseconds make no sense', { 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
    ['zero', { 'retry-after': '0' }, 0],
    ['nothing', {}, undefined],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['words', { 'retry-after': 'later, please' }, undefined],
    ['infinity', { 'retry-after': 'Infinity' }, undefined],
  ])('reads %s', (_what, headers, expected) => {
    expect(retryAfterMsOf(new Headers(headers), now)).toBe(expected);
  });

  test('gives a number of at least 0 or nothing, whatever is sent', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (milliseconds, seconds) => {
        const headers = new Map([
          ['retry-after-ms', milliseconds],
          ['retry-after', seconds],
        ]);
        const wait = retryAfterMsOf({ get: (name) => headers.get(name) ?? null }, now);
        expect(wait === undefined || wait >= 0).toBe(true);
      }),
    );
  });
});
