import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import type { ServerStep } from '@talaria/testing-services';
import fc from 'fast-check';
import { createRateLimiter } from '../src/index.ts';
import { openModelOnServer, question, waysToAsk } from './model-on-server.ts';

const reason = new Error('stop');

describe.each(waysToAsk)('an abort of %s', (_way, ask) => {
  test('before the call sends nothing', async () => {
    await using opened = await openModelOnServer();
    await expect(ask(opened.model, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(opened.server.requests).toHaveLength(0);
  });

  test('during silence closes the request', async () => {
    await using opened = await openModelOnServer();
    opened.server.enqueue({ fault: 'silence' });
    const controller = new AbortController();
    const call = ask(opened.model, controller.signal);
    await opened.server.whenRequests(1);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(await opened.server.requests[0]?.ended).toBe('closed');
  });

  test('in the middle of an answer closes the request', async () => {
    await using opened = await openModelOnServer();
    opened.server.enqueue({ fault: 'stall' });
    const controller = new AbortController();
    const call = ask(opened.model, controller.signal);
    await opened.server.whenRequests(1);
    setTimeout(() => controller.abort(reason), 20);
    await expect(call).rejects.toBe(reason);
    expect(await opened.server.requests[0]?.ended).toBe('closed');
  });

  test('during the wait for another attempt ends the wait', async () => {
    const clock = createManualClock();
    await using opened = await openModelOnServer({ clock, limiter: createRateLimiter() });
    opened.server.enqueue({ fault: 'rate-limited', retryAfter: '100' });
    const controller = new AbortController();
    const call = ask(opened.model, controller.signal);
    call.catch(() => undefined);
    await opened.server.whenRequests(1);
    await opened.server.requests[0]?.ended;
    // Past the deadline of the attempt, which was cleared, only the wait is pending.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(clock.pendingCount).toBe(1);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(clock.pendingCount).toBe(0);
    expect(opened.server.requests).toHaveLength(1);
  });

  test('during the wait for leave to send gives up the place', async () => {
    const limiter = createRateLimiter({ maxConcurrentRequests: 1 });
    await using opened = await openModelOnServer({ limiter });
    using slot = await limiter.acquire();
    const controller = new AbortController();
    const call = ask(opened.model, controller.signal);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    slot[Symbol.dispose]();
    await ask(opened.model);
    expect(opened.server.requests).toHaveLength(1);
  });

  test('at any instant rejects with its reason, or comes too late; nothing is left behind', async () => {
    const limiter = createRateLimiter({ maxConcurrentRequests: 2 });
    await using opened = await openModelOnServer({ limiter, maxRetries: 1 });
    const step: fc.Arbitrary<ServerStep> = fc.constantFrom<ServerStep>(
      { content: 'A longer answer, in some pieces.', pieceDelayMs: 1 },
      { content: 'late', delayMs: 10 },
      { fault: 'cut' },
      { fault: 'stall' },
      { fault: 'silence' },
      { fault: 'hang-up' },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(15)), { minLength: 1, maxLength: 4 }), async (calls) => {
        opened.server.enqueue(...calls.map(([answer]) => answer));
        await Promise.all(
          calls.map(async ([, delayMs]) => {
            const controller = new AbortController();
            const call = ask(opened.model, controller.signal);
            const timer = setTimeout(() => controller.abort(reason), delayMs);
            const outcome = await call.then(
              () => 'answered',
              (error: unknown) => error,
            );
            clearTimeout(timer);
            if (outcome === 'answered' || outcome === reason) return;
            expect(outcome).toMatchObject({ name: 'ModelError', code: expect.stringMatching(/^model\./) });
          }),
        );
        expect(limiter.activeCount).toBe(0);
        expect(limiter.waitingCount).toBe(0);
        await Promise.all(opened.server.requests.map((request) => request.ended));
      }),
      { numRuns: 25 },
    );
  });
});

test('leaving a stream early closes the request and frees its place', async () => {
  const limiter = createRateLimiter({ maxConcurrentRequests: 1 });
  await using opened = await openModelOnServer({ limiter });
  opened.server.enqueue({ fault: 'stall' });
  for await (const event of opened.model.stream(question)) {
    expect(event).toEqual({ type: 'text-delta', text: 'The answ' });
    break;
  }
  expect(await opened.server.requests[0]?.ended).toBe('closed');
  expect(limiter.activeCount).toBe(0);
  expect((await opened.model.complete(question)).message.content).toBe('Hello from the script.');
});

test('an abort between two pieces is told at the next one, even where more had arrived', async () => {
  await using opened = await openModelOnServer();
  opened.server.enqueue({ content: 'x'.repeat(80) });
  const controller = new AbortController();
  const pieces: string[] = [];
  const reading = (async () => {
    for await (const event of opened.model.stream(question, { signal: controller.signal })) {
      pieces.push(event.type);
      controller.abort(reason);
    }
  })();
  await expect(reading).rejects.toBe(reason);
  expect(pieces).toEqual(['text-delta']);
});

test('disposing ends the calls under way and the connections, and can be done twice', async () => {
  await using opened = await openModelOnServer();
  opened.server.enqueue({ fault: 'silence' }, { fault: 'stall' });
  const calls = waysToAsk.map(([, ask]) => ask(opened.model));
  const outcomes = Promise.all(
    calls.map((call) =>
      expect(call).rejects.toMatchObject({ code: 'model.closed', hint: expect.stringContaining('Dispose') }),
    ),
  );
  await opened.server.whenRequests(2);
  await opened.model[Symbol.asyncDispose]();
  await opened.model[Symbol.asyncDispose]();
  await outcomes;
  expect(await Promise.all(opened.server.requests.map((request) => request.ended))).toEqual(['closed', 'closed']);
  await expect(opened.model.complete(question)).rejects.toMatchObject({ code: 'model.closed' });
});

test('a signal that lives long keeps no listener of calls that have ended', async () => {
  await using opened = await openModelOnServer();
  const controller = new AbortController();
  for (const [, ask] of waysToAsk) await ask(opened.model, controller.signal);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});

test('a consumer that stops at the last event leaves nothing behind', async () => {
  const limiter = createRateLimiter({ maxConcurrentRequests: 1 });
  await using opened = await openModelOnServer({ limiter });
  const controller = new AbortController();
  const iterator = opened.model.stream(question, { signal: controller.signal })[Symbol.asyncIterator]();
  let last = await iterator.next();
  while (last.value.type !== 'end') last = await iterator.next();
  expect(limiter.activeCount).toBe(0);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});
