import { expect, test } from '@jest/globals';
import { systemClock } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import { createSilentProcess } from '../../test/silent-process.ts';
import { startSurely } from './start-surely.ts';
import type { TransportProcess, TransportRequest } from './transport.ts';

const reason = new Error('stop');

/** A transport whose start is done when the test says so. */
function createSlowTransport() {
  const begun = Promise.withResolvers<TransportProcess>();
  const requests: TransportRequest[] = [];
  return {
    begun,
    requests,
    async start(request: TransportRequest): Promise<TransportProcess> {
      requests.push(request);
      return await begun.promise;
    },
  };
}

test('what begins while its start is aborted is ended by its mark before the start rejects', async () => {
  const transport = createSlowTransport();
  const stop = new AbortController();
  const late = createSilentProcess();
  let kills = 0;
  async function kill(): Promise<void> {
    kills += 1;
    transport.begun.resolve(late);
    late.exit(137);
  }
  const starting = startSurely(transport, { words: ['x'], signal: stop.signal }, { kill, clock: systemClock });
  transport.requests[0]?.onStart?.();
  stop.abort(reason);
  await expect(starting).rejects.toBe(reason);
  expect([kills, late.isClosed()]).toEqual([1, true]);
});

test('a start that never comes about is given up after some attempts, and what comes later is let go of', async () => {
  const clock = createManualClock();
  const transport = createSlowTransport();
  const stop = new AbortController();
  let kills = 0;
  async function kill(): Promise<void> {
    kills += 1;
  }
  const starting = startSurely(transport, { words: ['x'], signal: stop.signal }, { kill, clock });
  const refused = expect(starting).rejects.toBe(reason);
  const [request] = transport.requests;
  request?.onStart?.();
  stop.abort(reason);
  expect(request?.signal?.aborted).toBe(false);
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
  await refused;
  expect([kills, request?.signal?.reason, clock.pendingCount]).toEqual([5, reason, 0]);
  const late = createSilentProcess();
  transport.begun.resolve(late);
  await transport.begun.promise;
  await clock.advance(0);
  expect(late.isClosed()).toBe(true);
});

test('a start that is aborted before anything may run is for the transport to stop', async () => {
  const transport = createSlowTransport();
  const stop = new AbortController();
  async function kill(): Promise<void> {
    throw new Error('There is nothing to end');
  }
  const starting = startSurely(transport, { words: ['x'], signal: stop.signal }, { kill, clock: systemClock });
  stop.abort(reason);
  expect(transport.requests[0]?.signal?.reason).toBe(reason);
  transport.begun.reject(reason);
  await expect(starting).rejects.toBe(reason);
});
