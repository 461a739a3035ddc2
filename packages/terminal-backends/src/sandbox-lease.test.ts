import { describe, expect, test } from '@jest/globals';
import { createSandboxLease, createSandboxPool, type Sandbox } from './index.ts';
import { createFakeBackend, createFakeSandbox } from './testing/index.ts';

const closed = { code: 'sandbox.closed' };

describe('a sandbox lease', () => {
  test('opens on first use, once for concurrent calls', async () => {
    let openings = 0;
    const lease = createSandboxLease(async () => {
      openings += 1;
      return createFakeSandbox();
    });
    expect(lease.opened).toBeUndefined();
    const [first, second] = await Promise.all([lease.open(), lease.open()]);
    expect(first).toBe(second);
    expect(await lease.open()).toBe(lease.opened);
    expect(openings).toBe(1);
  });

  test('tries again after a failure', async () => {
    const outcomes = [Promise.reject(new Error('busy')), Promise.resolve(createFakeSandbox())];
    const lease = createSandboxLease(() => outcomes.shift() ?? Promise.reject(new Error('too often')));
    await expect(lease.open()).rejects.toThrow('busy');
    await lease.open();
  });

  test('gives an opening up only when all who wait for it are aborted', async () => {
    const arrival = Promise.withResolvers<Sandbox>();
    let stopped: AbortSignal | undefined;
    const lease = createSandboxLease((signal) => {
      stopped = signal;
      return arrival.promise;
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const openings = [lease.open({ signal: first.signal }), lease.open({ signal: second.signal })] as const;
    first.abort('first');
    await expect(openings[0]).rejects.toBe('first');
    expect(stopped?.aborted).toBe(false);
    second.abort('second');
    await expect(openings[1]).rejects.toBe('second');
    expect(stopped?.reason).toBe('second');
    const late = createFakeSandbox();
    arrival.resolve(late);
    await lease[Symbol.asyncDispose]();
    await arrival.promise;
    expect(late.isDisposed).toBe(true);
  });

  test('waits for an opening that was given up, when it is disposed of', async () => {
    const arrival = Promise.withResolvers<Sandbox>();
    const lease = createSandboxLease(() => arrival.promise);
    const controller = new AbortController();
    const opening = lease.open({ signal: controller.signal });
    controller.abort('stop');
    await expect(opening).rejects.toBe('stop');
    let isDisposed = false;
    const disposal = lease[Symbol.asyncDispose]().then(() => {
      isDisposed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDisposed).toBe(false);
    const late = createFakeSandbox();
    arrival.resolve(late);
    await disposal;
    expect(late.isDisposed).toBe(true);
  });

  test('opens anew after an opening that was given up', async () => {
    const arrivals = [Promise.withResolvers<Sandbox>(), Promise.withResolvers<Sandbox>()];
    let index = 0;
    const lease = createSandboxLease(() => arrivals[index++]!.promise);
    const controller = new AbortController();
    const opening = lease.open({ signal: controller.signal });
    controller.abort('stop');
    await expect(opening).rejects.toBe('stop');
    const again = lease.open();
    const sandbox = createFakeSandbox();
    arrivals[1]!.resolve(sandbox);
    expect(await again).toBe(sandbox);
    const late = createFakeSandbox();
    arrivals[0]!.resolve(late);
    await new Promise((resolve) => setImmediate(resolve));
    expect(late.isDisposed).toBe(true);
    expect(lease.opened).toBe(sandbox);
  });

  test('closes the sandbox once, also one that is just being opened, and refuses afterwards', async () => {
    const arrival = Promise.withResolvers<Sandbox>();
    const lease = createSandboxLease(() => arrival.promise);
    const opening = expect(lease.open()).rejects.toMatchObject(closed);
    const disposals = [lease[Symbol.asyncDispose](), lease[Symbol.asyncDispose]()];
    const sandbox = createFakeSandbox();
    arrival.resolve(sandbox);
    await Promise.all(disposals);
    await opening;
    expect(sandbox.isDisposed).toBe(true);
    await expect(lease.open()).rejects.toMatchObject(closed);
    await lease.killAll();
  });
});

describe('a sandbox pool', () => {
  test('keeps its limits, first come, first served', async () => {
    const backend = createFakeBackend();
    await using pool = createSandboxPool({ backend, maxConcurrentSandboxes: 2 });
    const leases = ['a', 'b', 'c', 'd'].map((taskId) => pool.lease({ taskId }));
    const openings = leases.map((lease) => lease.open());
    await Promise.all(openings.slice(0, 2));
    expect(pool.activeCount).toBe(2);
    expect(backend.specs.map((spec) => spec.taskId)).toEqual(['a', 'b']);
    await leases[1]![Symbol.asyncDispose]();
    await openings[2];
    expect(backend.specs.map((spec) => spec.taskId)).toEqual(['a', 'b', 'c']);
    await leases[0]![Symbol.asyncDispose]();
    await openings[3];
  });

  test('makes only so many at the same time', async () => {
    let making = 0;
    let most = 0;
    const backend = createFakeBackend({
      async open() {
        making += 1;
        most = Math.max(most, making);
        await new Promise((resolve) => setImmediate(resolve));
        making -= 1;
        return createFakeSandbox();
      },
    });
    await using pool = createSandboxPool({ backend, maxConcurrentCreates: 3 });
    await Promise.all(Array.from({ length: 10 }, (_, index) => pool.lease({ taskId: `${index}` }).open()));
    expect(most).toBe(3);
  });

  test('gives the place of a failed or aborted opening back', async () => {
    const backend = createFakeBackend({
      open(spec) {
        if (spec.taskId === 'bad') throw new Error('no');
        return createFakeSandbox();
      },
    });
    await using pool = createSandboxPool({ backend, maxConcurrentSandboxes: 1 });
    await expect(pool.lease({ taskId: 'bad' }).open()).rejects.toThrow('no');
    const held = pool.lease({ taskId: 'good' });
    await held.open();
    const controller = new AbortController();
    const waiting = pool.lease({ taskId: 'late' }).open({ signal: controller.signal });
    controller.abort('stop');
    await expect(waiting).rejects.toBe('stop');
    await held[Symbol.asyncDispose]();
    await pool.lease({ taskId: 'next' }).open();
  });

  test('waits for what was given up and is still being made, when it is disposed of', async () => {
    const making = Promise.withResolvers<void>();
    const late = createFakeSandbox();
    const backend = createFakeBackend({
      async open() {
        await making.promise;
        return late;
      },
    });
    const pool = createSandboxPool({ backend });
    const lease = pool.lease({ taskId: 'late' });
    const controller = new AbortController();
    const opening = lease.open({ signal: controller.signal });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort('stop');
    await expect(opening).rejects.toBe('stop');
    const disposals = [lease, pool].map((one) => one[Symbol.asyncDispose]().then(() => late.isDisposed));
    await new Promise((resolve) => setImmediate(resolve));
    making.resolve();
    expect(await Promise.all(disposals)).toEqual([true, true]);
    expect(pool.activeCount).toBe(0);
  });

  test('closes everything that is still open, and those that wait', async () => {
    const backend = createFakeBackend();
    const pool = createSandboxPool({ backend, maxConcurrentSandboxes: 2 });
    const leases = ['a', 'b', 'c'].map((taskId) => pool.lease({ taskId }));
    const [first, second, third] = leases.map((lease) => lease.open());
    const refused = expect(third).rejects.toMatchObject(closed);
    await Promise.all([first, second]);
    await pool[Symbol.asyncDispose]();
    await refused;
    expect(backend.sandboxes.map((sandbox) => sandbox.isDisposed)).toEqual([true, true]);
    expect(() => pool.lease({ taskId: 'd' })).toThrow(expect.objectContaining(closed));
    expect(pool.activeCount).toBe(0);
  });
});
