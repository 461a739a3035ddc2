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

  test('is the strictest of all pools that are not disposed of', async () => {
    const clock = createManualClock();
    const beganMs: number[] = [];
    const backend = createFakeBackend({
      open() {
        beganMs.push(clock.monotonicMs());
        return createFakeSandbox();
      },
    });
    await using pool = createSandboxPool({ backend, clock, maxCreatesPerSecond: 10 });
    const strict = createSandboxPool({ backend, clock, maxCreatesPerSecond: 2 });
    async function open(count: number): Promise<void> {
      const before = backend.sandboxes.length;
      const openings = Array.from({ length: count }, (_, index) => pool.lease({ taskId: `t${index}` }).open());
      while (backend.sandboxes.length < before + count) {
        await settle();
        await clock.advance(50);
      }
      await Promise.all(openings);
    }
    const startedAtMs = clock.monotonicMs();
    await open(3);
    await strict[Symbol.asyncDispose]();
    await open(2);
    expect(beganMs.map((atMs) => atMs - startedAtMs)).toEqual([0, 500, 1_000, 1_100, 1_200]);
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

describe('an idle limit in a pool', () => {
  test('gives the place back, to others and to the same lease', async () => {
    const clock = createManualClock();
    const backend = createFakeBackend();
    await using pool = createSandboxPool({ backend, clock, maxConcurrentSandboxes: 1 });
    const first = pool.lease({ taskId: 'first' }, { idleMs: 30, isRecreated: true });
    await first.open();
    await clock.advance(30);
    await settle();
    expect([backend.sandboxes[0]?.isDisposed, pool.activeCount]).toEqual([true, 0]);
    await first.open();
    const second = pool.lease({ taskId: 'second' }).open();
    await clock.advance(30);
    await second;
    expect(backend.specs.map(({ taskId }) => taskId)).toEqual(['first', 'first', 'second']);
    expect(pool.activeCount).toBe(1);
  });

  test('keeps the place until the sandbox is gone', async () => {
    const clock = createManualClock();
    const gone = Promise.withResolvers<void>();
    const backend = createFakeBackend({
      open() {
        const sandbox = createFakeSandbox();
        const dispose = sandbox[Symbol.asyncDispose].bind(sandbox);
        sandbox[Symbol.asyncDispose] = async () => {
          await gone.promise;
          await dispose();
        };
        return sandbox;
      },
    });
    await using pool = createSandboxPool({ backend, clock, maxConcurrentSandboxes: 1 });
    const lease = pool.lease({ taskId: 'slow' }, { idleMs: 30, isRecreated: true });
    await lease.open();
    await clock.advance(30);
    const again = lease.open();
    await settle();
    expect([backend.sandboxes.length, pool.activeCount]).toEqual([1, 1]);
    gone.resolve();
    await again;
    expect([backend.sandboxes.length, pool.activeCount]).toEqual([2, 1]);
  });
});

test('a pool counts what it has opened, and how long that took', async () => {
  const clock = createManualClock();
  const backend = createFakeBackend({
    async open() {
      await clock.sleep(300);
      return createFakeSandbox();
    },
  });
  await using pool = createSandboxPool({ backend, clock });
  expect([pool.createdCount, pool.meanCreateMs]).toEqual([0, 0]);
  const opening = pool.lease({ taskId: 'a' }).open();
  await settle();
  await clock.advance(300);
  await opening;
  expect([pool.createdCount, pool.meanCreateMs]).toEqual([1, 300]);
});
