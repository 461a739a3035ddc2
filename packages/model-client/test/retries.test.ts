import { describe, expect, test } from '@jest/globals';
import { createManualClock, createMemoryLogger } from '@talaria/core/testing';
import type { ServerStep } from '@talaria/testing-services';
import { createRateLimiter } from '../src/index.ts';
import { createHastyClock, openModelOnServer, question, readStream, waysToAsk } from './model-on-server.ts';

const rateLimited = (fields: Partial<Extract<ServerStep, { fault: 'rate-limited' }>> = {}): ServerStep => ({
  fault: 'rate-limited',
  ...fields,
});

describe.each(waysToAsk)('retries of %s', (_way, ask) => {
  test.each<[string, ServerStep]>([
    ['408', { fault: 'status', status: 408 }],
    ['409', { fault: 'status', status: 409 }],
    ['429', rateLimited()],
    ['500', { fault: 'status', status: 500 }],
    ['529', { fault: 'status', status: 529 }],
    ['a broken connection', { fault: 'hang-up' }],
  ])('mend %s', async (_what, step) => {
    const clock = createHastyClock();
    await using opened = await openModelOnServer({ clock });
    opened.server.enqueue(step, step);
    await ask(opened.model);
    expect(opened.server.requests).toHaveLength(3);
    // Half of 1 s and of 2 s: full jitter with a random factor of 0.5.
    expect(clock.waitsMs).toEqual([500, 1_000]);
  });

  test.each([
    ['seconds', rateLimited({ retryAfter: '7' }), 7_350],
    ['a fraction', rateLimited({ retryAfter: '0.5' }), 525],
    ['an HTTP date', rateLimited({ retryAfter: new Date(Date.UTC(2026, 0, 1, 0, 1)).toUTCString() }), 60_500],
    ['milliseconds', rateLimited({ retryAfterMs: 200 }), 210],
    ['nothing that can be read', rateLimited({ retryAfter: 'soon' }), 500],
    ['no wait', rateLimited({ retryAfter: '0' }), 500],
    ['a 503', { fault: 'status', status: 503, headers: { 'retry-after': '2' } } as const, 2_100],
  ])('wait as Retry-After asks by %s', async (_what, step, expected) => {
    const clock = createHastyClock();
    // A limiter with a clock of its own, so that the pause that it makes is not among the waits looked at.
    const limiter = createRateLimiter({ clock: createHastyClock() });
    await using opened = await openModelOnServer({ clock, limiter });
    opened.server.enqueue(step);
    await ask(opened.model);
    expect(clock.waitsMs).toEqual([expected]);
  });

  test('give up when the server asks for more time than is left', async () => {
    const clock = createHastyClock();
    await using opened = await openModelOnServer({ clock, timeoutMs: 60_000 });
    opened.server.enqueue(rateLimited({ retryAfter: '3600' }));
    await expect(ask(opened.model)).rejects.toMatchObject({
      code: 'model.rate-limited',
      message: expect.stringContaining('; it asks to wait 3600000 ms, and only 60000 ms are left'),
      hint: expect.stringContaining('Run again after that time'),
      attempts: 1,
      status: 429,
      retryable: true,
    });
    expect(clock.waitsMs).toEqual([]);
  });

  test('end after the number that was given, with the last error', async () => {
    const clock = createHastyClock();
    await using opened = await openModelOnServer({ clock, maxRetries: 2 }, { script: () => rateLimited() });
    await expect(ask(opened.model)).rejects.toMatchObject({ code: 'model.rate-limited', attempts: 3 });
    expect(opened.server.requests).toHaveLength(3);
  });

  test('never follow a time-out of our own', async () => {
    const clock = createManualClock();
    await using opened = await openModelOnServer({ clock, timeoutMs: 30_000 });
    opened.server.enqueue({ fault: 'silence' });
    const call = ask(opened.model);
    const outcome = expect(call).rejects.toMatchObject({
      code: 'model.timeout',
      message: expect.stringContaining('did not finish its answer within 30000 ms'),
      hint: expect.stringContaining('Raise the time-out'),
      attempts: 1,
      retryable: true,
    });
    await opened.server.whenRequests(1);
    await clock.advance(30_000);
    await outcome;
    expect(await opened.server.requests[0]?.ended).toBe('closed');
    expect(opened.server.requests).toHaveLength(1);
    expect(clock.pendingCount).toBe(0);
  });
});

test('an answer tells how often it was asked for, and the log tells why', async () => {
  const logger = createMemoryLogger();
  await using opened = await openModelOnServer({ clock: createHastyClock(), logger });
  opened.server.enqueue(rateLimited());
  const completion = await opened.model.complete(question);
  expect(completion).toMatchObject({ attempts: 2, requestId: 'req-scripted' });
  expect(logger.entries).toMatchObject([
    { level: 'warn', event: 'model.throttled', fields: { model: 'test-model', limit: 256 } },
    {
      level: 'warn',
      event: 'model.retry',
      fields: { attempt: 1, delayMs: 500, code: 'model.rate-limited', status: 429 },
    },
  ]);
});

test('a stream that went silent in the middle times out and is not asked for again', async () => {
  const clock = createManualClock();
  await using opened = await openModelOnServer({ clock, timeoutMs: 30_000 });
  opened.server.enqueue({ fault: 'stall' });
  const texts: string[] = [];
  const reading = (async () => {
    for await (const event of opened.model.stream(question)) {
      if (event.type === 'text-delta') texts.push(event.text);
      await clock.advance(event.type === 'text-delta' && texts.length === 2 ? 30_000 : 0);
    }
  })();
  await expect(reading).rejects.toMatchObject({ code: 'model.timeout', retryable: false });
  expect(texts).toEqual(['The answ', 'er begin']);
  expect(opened.server.requests).toHaveLength(1);
});

test('the concurrency of an endpoint is halved by a rate limit and shared by its models', async () => {
  const clock = createHastyClock();
  const limiter = createRateLimiter({ maxConcurrentRequests: 8, clock });
  await using first = await openModelOnServer({ clock, limiter });
  await using second = await openModelOnServer({ clock, limiter });
  first.server.enqueue(rateLimited());
  await first.model.complete(question);
  expect(limiter.limit).toBe(4);
  await readStream(second.model);
  expect(limiter.limit).toBe(4);
  await Promise.all(Array.from({ length: 6 }, () => second.model.complete(question)));
  expect(limiter.limit).toBe(5);
  expect(limiter.activeCount).toBe(0);
});

test('no more requests are under way than the limiter allows', async () => {
  let active = 0;
  let peak = 0;
  await using opened = await openModelOnServer(
    { maxConcurrentRequests: 3 },
    {
      async script() {
        active += 1;
        peak = Math.max(peak, active);
        await new Promise((resolve) => setImmediate(resolve));
        active -= 1;
        return { content: 'ok' };
      },
    },
  );
  await Promise.all(Array.from({ length: 12 }, () => opened.model.complete(question)));
  expect(peak).toBeLessThanOrEqual(3);
  expect(opened.server.requests).toHaveLength(12);
});
