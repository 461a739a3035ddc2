import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { systemClock } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import { drainOutput } from './output-collector.ts';

const never = new Promise<never>(() => undefined);

async function isPending(promise: Promise<void>): Promise<boolean> {
  const later = new Promise((resolve) => setImmediate(resolve, true));
  return (await Promise.race([promise.then(() => false), later])) === true;
}

describe('drainOutput', () => {
  test('is done at once where the streams have ended', async () => {
    const clock = createManualClock();
    await drainOutput({ ended: Promise.resolve(), lastChunkAtMs: () => 0 }, clock);
    expect(clock.pendingCount).toBe(0);
  });

  test('waits for 300 ms of quiet where something holds them', async () => {
    const clock = createManualClock();
    let lastChunkAtMs = 0;
    const drained = drainOutput({ ended: never, lastChunkAtMs: () => lastChunkAtMs }, clock);
    await clock.advance(200);
    lastChunkAtMs = clock.monotonicMs();
    await clock.advance(299);
    expect(await isPending(drained)).toBe(true);
    await clock.advance(1);
    await drained;
    expect(clock.pendingCount).toBe(0);
  });

  test('waits for at most 2 s where it never becomes quiet', async () => {
    const clock = createManualClock();
    const drained = drainOutput({ ended: never, lastChunkAtMs: () => clock.monotonicMs() }, clock);
    await clock.advance(1_999);
    expect(await isPending(drained)).toBe(true);
    await clock.advance(1);
    await drained;
  });

  test('reads what came while this program was held up for longer than that', async () => {
    const child = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] });
    await once(child, 'spawn');
    let heard = '';
    let lastChunkAtMs = systemClock.monotonicMs();
    child.stdout.on('data', (chunk) => {
      heard += chunk;
      lastChunkAtMs = systemClock.monotonicMs();
    });
    const drained = drainOutput({ ended: never, lastChunkAtMs: () => lastChunkAtMs }, systemClock);
    child.stdin.write('late');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    await drained;
    const heardUntilThen = heard;
    child.kill();
    expect(heardUntilThen).toBe('late');
  });

  test('stops waiting when it is aborted', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const drained = drainOutput({ ended: never, lastChunkAtMs: () => 0 }, clock, controller.signal);
    await clock.advance(1);
    controller.abort();
    await drained;
    expect(clock.pendingCount).toBe(0);
  });
});
