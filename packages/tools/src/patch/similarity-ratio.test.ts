import { expect, test } from '@jest/globals';
import { similarityRatio } from './similarity-ratio.ts';

/** From Python: `difflib.SequenceMatcher(None, left, right, autojunk=False).ratio()`. */
test.each([
  ['abcd', 'bcde', 0.75],
  ['tide', 'diet', 0.25],
  ['private Thread currentThread;', 'private volatile Thread currentThread;', 0.8656716417910447],
  ['abc'.repeat(20), 'acb'.repeat(20), 0.5166666666666667],
  ['const value = 1;', 'const valeu = 2;', 0.875],
  ['', '', 1],
  ['a', '', 0],
])('the similarity of %p and %p is %p', (left, right, expected) => {
  expect(similarityRatio(left, right, { atLeast: 0, budget: { steps: 1_000_000 } })).toBeCloseTo(expected, 12);
});

test('texts without long common blocks take no more than the budget, and count as not similar then', () => {
  const budget = { steps: 1_000_000 };
  const [left, right] = ['abc'.repeat(3_000), 'acb'.repeat(3_000)];
  expect(similarityRatio(left, right, { atLeast: 0.5, budget })).toBe(0);
  expect(budget.steps).toBeLessThan(0);
  // What is looked at beyond the budget are the places of one character.
  expect(budget.steps).toBeGreaterThanOrEqual(-3_001);
  expect(similarityRatio('same', 'same', { atLeast: 1, budget })).toBe(1);
  expect(similarityRatio('abcd', 'abce', { atLeast: 0.5, budget })).toBe(0);
});
