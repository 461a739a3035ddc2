import { expect, test } from '@jest/globals';
import { createTurnstile } from './turnstile.ts';

test('lets a few through at once and the others after the event loop went round, in order', async () => {
  const turnstile = createTurnstile();
  const order: (number | 'round')[] = [];
  let isDone = false;
  function countRounds(): void {
    order.push('round');
    if (!isDone) setImmediate(countRounds);
  }
  const all = Array.from({ length: 50 }, (_, index) => turnstile.pass().then(() => order.push(index)));
  setImmediate(countRounds);
  await Promise.all(all);
  isDone = true;
  expect(order.filter((entry) => entry !== 'round')).toEqual(Array.from({ length: 50 }, (_, index) => index));
  expect(order.filter((entry) => entry === 'round').length).toBeGreaterThanOrEqual(10);
});

test('is free again after a rush', async () => {
  const turnstile = createTurnstile();
  await Promise.all(Array.from({ length: 9 }, () => turnstile.pass()));
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  let hasPassed = false;
  const passing = turnstile.pass().then(() => {
    hasPassed = true;
  });
  await Promise.resolve();
  expect(hasPassed).toBe(true);
  await passing;
});
