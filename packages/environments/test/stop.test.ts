import { describe, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { createFakeBackend } from '@talaria/terminal-backends/testing';
import { processEnvironment } from '../src/index.ts';
import { callTool, driverOptions, numbers, promptNumber, temporaryFolder } from './harness.ts';

const one = ['--steps', '1', '--group-size', '1'];

/** A promise and the way to settle it. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe('the first wish to stop', () => {
  test('lets a reward that is being computed end, and keeps its rollout', async () => {
    await using folder = await temporaryFolder();
    const stop = new AbortController();
    const began = gate();
    const may = gate();
    const environment = numbers({
      async computeReward() {
        began.open();
        await may.opened;
        return 1;
      },
    });
    const options = driverOptions(environment, { folder: folder.path, argv: ['--group-size', '1'] });
    const run = processEnvironment(environment, { ...options, signal: stop.signal });
    await began.opened;
    stop.abort(new Error('stop'));
    may.open();
    expect(await run).toMatchObject({ outcome: 'interrupted', groupsAccepted: 1, rollouts: [{ reward: 1 }] });
  });

  test('gives rewards no more than the time for draining', async () => {
    await using folder = await temporaryFolder();
    const clock = createManualClock();
    const stop = new AbortController();
    const began = gate();
    const environment = numbers({
      computeReward() {
        began.open();
        return new Promise<number>(() => undefined);
      },
    });
    const argv = [...one, '--env.drain_timeout', '30'];
    const options = driverOptions(environment, { folder: folder.path, argv, changes: { clock } });
    const run = processEnvironment(environment, { ...options, signal: stop.signal });
    let isDone = false;
    const ended = run.then((summary) => {
      isDone = true;
      return summary;
    });
    await began.opened;
    stop.abort(new Error('stop'));
    await clock.advance(29_000);
    expect(isDone).toBe(false);
    while (!isDone) await clock.advance(1000);
    expect(await ended).toMatchObject({ outcome: 'interrupted', rollouts: [] });
  });

  test('ends conversations at once and closes their sandboxes', async () => {
    await using folder = await temporaryFolder();
    const stop = new AbortController();
    const backend = createFakeBackend();
    const environment = numbers();
    const options = driverOptions(environment, {
      folder: folder.path,
      argv: one,
      script({ messages }) {
        if (messages.length === 1) return callTool('touch');
        stop.abort(new Error('stop'));
        return new Promise(() => undefined);
      },
      changes: { backend, signal: stop.signal },
    });
    expect(await processEnvironment(environment, options)).toMatchObject({ outcome: 'interrupted', rollouts: [] });
    expect(backend.sandboxes.map((sandbox) => sandbox.isDisposed)).toEqual([true]);
  });

  test.each(['setup', 'getNextItem', 'prepareSandbox'] as const)(
    'ends a run that hangs in %s, and cleans up',
    async (method) => {
      await using folder = await temporaryFolder();
      const stop = new AbortController();
      let cleanups = 0;
      const environment = numbers({
        ...(method === 'getNextItem' ? { items: undefined } : {}),
        [method]() {
          stop.abort(new Error('stop'));
          return new Promise(() => undefined);
        },
        async cleanup({ signal }) {
          expect(signal.aborted).toBe(false);
          cleanups += 1;
        },
      });
      const options = driverOptions(environment, { folder: folder.path, argv: one, changes: { signal: stop.signal } });
      expect((await processEnvironment(environment, options)).outcome).toBe('interrupted');
      expect(cleanups).toBe(1);
    },
  );

  test('before anything began is passed on', async () => {
    await using folder = await temporaryFolder();
    const reason = new Error('never');
    const environment = numbers();
    const options = driverOptions(environment, { folder: folder.path, changes: { signal: AbortSignal.abort(reason) } });
    await expect(processEnvironment(environment, options)).rejects.toBe(reason);
  });

  test('that comes when everything is done changes nothing', async () => {
    await using folder = await temporaryFolder();
    const stop = new AbortController();
    const environment = numbers({ cleanup: async () => stop.abort(new Error('late')) });
    const options = driverOptions(environment, { folder: folder.path, changes: { signal: stop.signal } });
    expect((await processEnvironment(environment, options)).outcome).toBe('done');
  });
});

test('the second wish to stop waits for no reward', async () => {
  await using folder = await temporaryFolder();
  const first = new AbortController();
  const second = new AbortController();
  const began = gate();
  const environment = numbers({
    computeReward() {
      began.open();
      return new Promise<number>(() => undefined);
    },
  });
  const changes = { signal: first.signal, forceSignal: second.signal };
  const run = processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv: one, changes }));
  await began.opened;
  first.abort(new Error('stop'));
  second.abort(new Error('now'));
  expect(await run).toMatchObject({ outcome: 'interrupted', htmlPath: null });
});

test('a run can be stopped at every answer and is never left hanging', async () => {
  for (let at = 1; at <= 12; at += 1) {
    await using folder = await temporaryFolder();
    const stop = new AbortController();
    const backend = createFakeBackend();
    const environment = numbers();
    let answers = 0;
    const options = driverOptions(environment, {
      folder: folder.path,
      argv: ['--concurrency', '2'],
      script({ messages }) {
        answers += 1;
        if (answers === at) stop.abort(new Error('stop'));
        return messages.length === 1 ? callTool('touch') : { content: promptNumber(messages) };
      },
      changes: { backend, signal: stop.signal },
    });
    const summary = await processEnvironment(environment, options);
    expect(['interrupted', 'done']).toContain(summary.outcome);
    expect(backend.sandboxes.every((sandbox) => sandbox.isDisposed)).toBe(true);
  }
});
