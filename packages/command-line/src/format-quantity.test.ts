import { expect, test } from '@jest/globals';
import {
  formatCost,
  formatCount,
  formatDuration,
  formatElapsed,
  formatNumber,
  formatReward,
} from './format-quantity.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1.0k'],
  [999_949, '999.9k'],
  [999_950, '1.0M'],
])('counts: %d', (count, text) => expect(formatCount(count)).toBe(text));

test.each([
  [0, '0:00'],
  [59_499, '0:59'],
  [61_000, '1:01'],
  [3_723_000, '1:02:03'],
  [-5, '0:00'],
])('durations: %d ms', (durationMs, text) => expect(formatDuration(durationMs)).toBe(text));

test.each([
  [null, 'cost unknown'],
  [0, '$0.00'],
  [0.000_123, '$0.00012'],
  [1.5, '$1.50'],
])('costs: %p', (costUsd, text) => expect(formatCost(costUsd)).toBe(text));

test('a reward that was not given is no zero', () => {
  expect([formatReward(null), formatReward(0), formatReward(1 / 3)]).toEqual(['-', '0.000', '0.333']);
});

test.each([
  [0, '0.0 s'],
  [1_549, '1.5 s'],
  [59_949, '59.9 s'],
  [59_950, '1:00'],
])('times that have passed: %d ms', (durationMs, text) => expect(formatElapsed(durationMs)).toBe(text));

test('numbers of things', () => {
  expect([formatNumber(0, 'turn'), formatNumber(1, 'turn'), formatNumber(2, 'box', 'boxes')]).toEqual([
    '0 turns',
    '1 turn',
    '2 boxes',
  ]);
});
