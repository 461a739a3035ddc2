import { describe, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { createSandboxLease, createSandboxPool } from './index.ts';
import { createFakeBackend, createFakeSandbox } from './testing/index.ts';

async function settle(): Promise<void> {
  for (let index = 0; index < 20; index += 1) await Promise.resolve();
}

describe('the rate of creations', () => {
  test('is kept by all pools on one backend together', async () => {
    const clock = createManualClock();
    const backend = createFakeBackend();
    const pools = [0, 1].map(() => createSandboxPool({ backend, clock, maxCreatesPerSecond: 2 }));
    const leases = pools.flatMap((pool) => [0, 1].map((index) => pool.lease({ taskId: `t${index}` })));
    const openings = Promise.all(leases.map((lease) => lease.open()));
    const counts: number[] = [];
    for (let step = 0; step < 4; step += 1) {
      await settle();
      counts.push(backend.sandboxes.length);
      await clock.advance(500);
    }
    await openings;
    expect(counts).toEqual([1, 2, 3, 4]);
    for (const pool of pools) await pool[Symbol.asyncDispose]();
  });

  test('keeps nobody waiting who is aborted', async () => {
    const clock = createManualClock();
    await using pool = createSandboxPool({ backend: createFakeBackend(), clock, maxCreatesPerSecond: 1 });
    await pool.lease({ taskId: 'first' }).open();
    const controller = new AbortController();
    const second = pool.lease({ taskId: 'second' }).open({ signal: controller.signal });
    controller.abort('stop');
    await expect(second).rejects.toBe('stop');
    await settle();
    expect([pool.activeCount, clock.pendingCount]).toEqual([1, 0]);
  });
});

describe('warm sandboxes', () => {
  const image = 'debian:12';

  test('are given to tasks that ask for the same, and replaced', async () => {
    const backend = createFakeBackend();
    await using pool = createSandboxPool({
      backend,
      clock: createManualClock(),
      warm: [{ spec: { image }, count: 2 }],
    });
    await settle();
    expect(backend.specs.map(({ taskId }) => taskId)).toEqual(['warm', 'warm']);
    expect(await pool.lease({ taskId: 'same', image }).open()).toBe(backend.sandboxes[0]);
    await settle();
    expect(backend.sandboxes).toHaveLength(3);
    await pool.lease({ taskId: 'other', image: 'alpine' }).open();
    expect(backend.specs.at(-1)).toEqual({ taskId: 'other', image: 'alpine' });
  });

  test('that have died or grown old are not given away', async () => {
    const clock = createManualClock();
    const backend = createFakeBackend();
    await using pool = createSandboxPool({
      backend,
      clock,
      warm: [{ spec: { image, maxLifetimeMs: 1_000 }, count: 1 }],
    });
    await settle();
    await backend.sandboxes[0]?.[Symbol.asyncDispose]();
    const spec = { taskId: 'a', image, maxLifetimeMs: 1_000 };
    await pool.lease(spec).open();
    expect(backend.specs.map(({ taskId }) => taskId)).toEqual(['warm', 'warm', 'a']);
    await settle();
    await clock.advance(251);
    await pool.lease({ ...spec, taskId: 'b' }).open();
    expect(backend.specs.map(({ taskId }) => taskId)).toContain('b');
    expect(backend.sandboxes[1]?.isDisposed).toBe(true);
  });

  test('make room for a task that asks for something else', async () => {
    const backend = createFakeBackend();
    await using pool = createSandboxPool({
      backend,
      clock: createManualClock(),
      maxConcurrentSandboxes: 1,
      warm: [{ spec: { image }, count: 1 }],
    });
    await settle();
    await pool.lease({ taskId: 'other' }).open();
    expect(backend.sandboxes[0]?.isDisposed).toBe(true);
    expect(pool.activeCount).toBe(1);
  });

  test('end with the pool, those being opened too', async () => {
    const backend = createFakeBackend();
    const pool = createSandboxPool({ backend, clock: createManualClock(), warm: [{ spec: {}, count: 3 }] });
    await pool[Symbol.asyncDispose]();
    await settle();
    expect(backend.sandboxes.every((sandbox) => sandbox.isDisposed)).toBe(true);
    expect(pool.activeCount).toBe(0);
  });
});

describe('an idle limit', () => {
  test('closes a sandbox that nobody uses, and says so to the next', async () => {
    const clock = createManualClock();
    const sandbox = createFakeSandbox();
    await using lease = createSandboxLease(async () => sandbox, { idleMs: 1_000, clock });
    const handle = await lease.open();
    await clock.advance(900);
    await handle.writeFile('/a', 'x');
    await clock.advance(900);
    expect(sandbox.isDisposed).toBe(false);
    await clock.advance(100);
    expect(sandbox.isDisposed).toBe(true);
    expect(lease.opened).toBeUndefined();
    await expect(lease.open()).rejects.toMatchObject({ code: 'sandbox.expired' });
  });

  test('counts no use that is under way, and may open a new one', async () => {
    const clock = createManualClock();
    const done = Promise.withResolvers<void>();
    const first = createFakeSandbox();
    const sandboxes = [first, createFakeSandbox()];
    const stat = first.stat.bind(first);
    first.stat = async (...args) => {
      await done.promise;
      return await stat(...args);
    };
    await using lease = createSandboxLease(async () => sandboxes.shift() ?? createFakeSandbox(), {
      idleMs: 1_000,
      isRecreated: true,
      clock,
    });
    const handle = await lease.open();
    const use = handle.stat('/');
    await clock.advance(5_000);
    expect(first.isDisposed).toBe(false);
    done.resolve();
    await use;
    await settle();
    await clock.advance(1_000);
    expect(first.isDisposed).toBe(true);
    expect(await (await lease.open()).ping()).toBe(true);
  });
});
