import { describe, expect, jest, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import { createSandboxPool } from '../src/index.ts';
import { createModalBackend } from '../src/modal/index.ts';
import { createHastyClock, type ModalTest, openModalTest } from './modal-test-backend.ts';

// Each test starts a server and processes, on machines that may be busy.
jest.setTimeout(180_000);

describe('opening a sandbox at Modal', () => {
  test('asks for a name, tags, a lifetime and resources, and hands over no variable', async () => {
    await using modal = await openModalTest();
    const backend = modal.createBackend({ runId: 'run-1', env: { GIVEN: 'yes' }, regions: ['us-east'] });
    await using sandbox = await backend.open({
      taskId: 'a/b',
      cpus: 1,
      memoryMiB: 256,
      cwd: '/app',
      env: { MORE: '1' },
    });
    const { definition, tags, secret_sources } =
      modal.double.calls.find((call) => call.method === 'SandboxCreateV2')?.request ?? {};
    expect(sandbox.id).toMatch(/^talaria-a-b_[0-9a-f]{24}$/);
    expect(definition).toMatchObject({
      name: sandbox.id,
      timeout_secs: 3_660,
      resources: { milli_cpu: 1_000, milli_cpu_max: 1_000, memory_mb: 256, memory_mb_max: 256 },
    });
    expect(tags).toContainEqual({ tag_name: 'talaria', tag_value: '1' });
    expect(tags).toContainEqual({ tag_name: 'talaria-run', tag_value: 'run-1' });
    expect(JSON.stringify(secret_sources ?? [])).not.toContain('GIVEN');
    expect(sandbox.cwd).toBe('/app');
    expect((await sandbox.run('echo $GIVEN$MORE')).output).toBe('yes1\n');
    expect(await backend.list()).toEqual([
      expect.objectContaining({
        id: sandbox.id,
        backend: 'modal',
        taskId: 'a/b',
        ownerState: 'alive',
        state: 'running',
      }),
    ]);
  });

  test('waits for a slow create; one that was given up is taken away when it comes', async () => {
    const clock = createManualClock();
    await using modal = await openModalTest({ clock });
    const backend = modal.createBackend();
    modal.double.inject({ fault: 'delay', method: 'SandboxCreateV2', delayMs: 90_000, times: 2 });
    const opening = backend.open({ taskId: 'slow' });
    await modal.double.whenCalls('SandboxCreateV2', 1);
    expect(modal.double.sandboxes).toHaveLength(0);
    await clock.advance(90_000);
    await (await opening)[Symbol.asyncDispose]();

    const controller = new AbortController();
    const reason = new Error('enough');
    const given = backend.open({ taskId: 'given-up' }, { signal: controller.signal });
    await modal.double.whenCalls('SandboxCreateV2', 2);
    let hasRejected = false;
    given.catch(() => {
      hasRejected = true;
    });
    const refusal = expect(given).rejects.toBe(reason);
    controller.abort(reason);
    expect(await modal.listEntries()).toHaveLength(1);
    expect(hasRejected).toBe(false);
    await clock.advance(90_000);
    await refusal;
    expect(await modal.listEntries()).toEqual([]);
    expect(modal.double.sandboxes.map(({ isRunning }) => isRunning)).toEqual([false, false]);
  });

  test('that a pool gave up is gone when the pool is', async () => {
    const clock = createManualClock();
    await using modal = await openModalTest({ clock });
    modal.double.inject({ fault: 'delay', method: 'SandboxCreateV2', delayMs: 90_000 });
    const pool = createSandboxPool({ backend: modal.createBackend() });
    const controller = new AbortController();
    const opening = pool.lease({ taskId: 'given-up' }).open({ signal: controller.signal });
    await modal.double.whenCalls('SandboxCreateV2', 1);
    controller.abort('enough');
    await expect(opening).rejects.toBe('enough');
    const disposal = pool[Symbol.asyncDispose]();
    await clock.advance(90_000);
    await disposal;
    expect(await modal.listEntries()).toEqual([]);
    expect(modal.double.sandboxes.map(({ isRunning }) => isRunning)).toEqual([false]);
  });

  test('gives up a create that is never answered', async () => {
    await using modal = await openModalTest();
    modal.double.inject({ fault: 'silence', method: 'SandboxCreateV2' });
    const backend = modal.createBackend({ createTimeoutMs: 300 });
    await expect(backend.open({ taskId: 'silent' })).rejects.toMatchObject({
      code: 'sandbox.timeout',
      retryable: true,
    });
    // It may yet come, so that the entry stays for a sweep.
    const [entry = ''] = await modal.listEntries();
    expect(entry).toMatch(/^talaria-silent/);
    expect(modal.double.calls.find((call) => call.method === 'SandboxCreateV2')?.outcome).toBe('CANCELLED');
    await forget(modal, entry);
  });

  test('tries again where Modal lets no more begin, with longer and longer waits', async () => {
    await using modal = await openModalTest();
    const { clock, sleeps } = createHastyClock();
    modal.double.inject({ fault: 'status', method: 'SandboxCreateV2', status: 'RESOURCE_EXHAUSTED', times: 4 });
    const backend = modal.createBackend({ clock });
    await using sandbox = await backend.open({ taskId: 'patient' });
    expect((await sandbox.run('echo open')).output).toBe('open\n');
    expect(sleeps.slice(0, 4).every((waitMs, index) => waitMs <= 1_000 * 2 ** index)).toBe(true);
    expect(sleeps).toHaveLength(4);
    expect(modal.count('SandboxCreateV2')).toBe(5);
    expect(backend.maxCreatesPerSecond).toBe(5);
  });

  test('says so where Modal lets no more begin for too long', async () => {
    await using modal = await openModalTest();
    modal.double.inject({ fault: 'status', method: 'SandboxCreateV2', status: 'RESOURCE_EXHAUSTED', times: 5 });
    const backend = modal.createBackend({ clock: createHastyClock().clock });
    await expect(backend.open({ taskId: 'refused' })).rejects.toMatchObject({
      code: 'sandbox.rate-limited',
      phase: 'create',
      started: false,
      retryable: true,
      hint: expect.stringContaining('fewer'),
    });
    expect(modal.count('SandboxCreateV2')).toBe(5);
  });

  test('tells an unreachable service, and where it was looked for', async () => {
    await using modal = await openModalTest();
    modal.double.inject({ fault: 'status', method: 'SandboxCreateV2', status: 'UNAVAILABLE', times: 20 });
    const backend = modal.createBackend({ clock: createHastyClock().clock });
    await expect(backend.open({ taskId: 'cut-off' })).rejects.toMatchObject({
      code: 'sandbox.unreachable',
      message: expect.stringContaining(modal.double.serverUrl),
      retryable: true,
    });
    await forget(modal, (await modal.listEntries())[0] ?? '');
  });

  test('finds what it made where every answer was lost, and makes no second one', async () => {
    await using modal = await openModalTest();
    // As often as the SDK asks; the next attempt is another call for Modal.
    modal.double.inject({
      ...{ fault: 'status', method: 'SandboxCreateV2', status: 'UNAVAILABLE', phase: 'after', times: 4 },
    });
    await using sandbox = await modal
      .createBackend({ clock: createHastyClock().clock })
      .open({ taskId: 'lost-answer' });
    expect(modal.double.sandboxes).toHaveLength(1);
    expect((await sandbox.run('echo found')).output).toBe('found\n');
  });

  test('takes another name where somebody else has it, and leaves that one alone', async () => {
    await using modal = await openModalTest();
    const names = ['talaria-same', 'talaria-same', 'talaria-other'];
    const createId = () => names.shift() ?? 'talaria-last';
    const backend = modal.createBackend({ createId });
    await using first = await backend.open({ taskId: 'first' });
    await using second = await backend.open({ taskId: 'second' });
    expect([first.id, second.id]).toEqual(['talaria-same', 'talaria-other']);
    expect(await first.ping()).toBe(true);
  });

  test('warns once that the disk has no limit', async () => {
    await using modal = await openModalTest();
    const backend = modal.createBackend();
    for (const taskId of ['one', 'two']) {
      await using _sandbox = await backend.open({ taskId, diskMiB: 100 });
    }
    expect(modal.logger.entries.filter(({ event }) => event === 'sandbox.disk-not-limited')).toHaveLength(1);
  });

  test('keeps programs off the network where a task forbids it', async () => {
    await using modal = await openModalTest();
    if (modal.double.isolation !== 'namespace') return;
    const dial = `: </dev/tcp/127.0.0.1/${new URL(modal.double.serverUrl).port} && echo reached`;
    const backend = modal.createBackend({ allowNetwork: false });
    await using closed = await backend.open({ taskId: 'closed' });
    await using open = await backend.open({ taskId: 'open', allowNetwork: true });
    expect((await closed.run(dial)).output).not.toContain('reached');
    expect((await open.run(dial)).output).toBe('reached\n');
  });
});

describe('an abort while a sandbox is being opened', () => {
  const methods = [
    ...['AuthTokenGet', 'AppGetOrCreate', 'EnvironmentGetOrCreate', 'ImageGetOrCreate', 'ImageJoinStreaming'],
    ...['SandboxCreateV2', 'TaskExecStart', 'TaskExecStdioRead', 'TaskExecWait', 'TaskExecStdinWrite'],
  ];

  test.each(methods)('at %s leaves no sandbox', async (method) => {
    await using modal = await openModalTest();
    for (const count of method === 'TaskExecStdinWrite' ? [1, 2] : [1]) {
      const controller = new AbortController();
      const reason = new Error(`stop at ${method}`);
      const opening = modal.createBackend().open({ taskId: 'aborted' }, { signal: controller.signal });
      const asked = modal.double.whenCalls(method, modal.count(method) + count);
      void asked.then(() => controller.abort(reason));
      await expect(opening).rejects.toBe(reason);
      await modal.whenEmpty();
    }
  });

  test('at any moment leaves no sandbox', async () => {
    await using modal = await openModalTest();
    const backend = modal.createBackend();
    let isOpened = false;
    for (let delayMs = 0; !isOpened; delayMs = Math.ceil(delayMs * 1.5 + 1)) {
      const signal = AbortSignal.timeout(delayMs);
      try {
        await using _sandbox = await backend.open({ taskId: 'aborted' }, { signal });
        isOpened = true;
      } catch (error) {
        expect(error).toBe(signal.reason);
      }
    }
    await modal.whenEmpty();
  });

  test('before it begins asks nobody', async () => {
    await using modal = await openModalTest();
    const reason = new Error('never');
    const opening = modal.createBackend().open({ taskId: 'never' }, { signal: AbortSignal.abort(reason) });
    await expect(opening).rejects.toBe(reason);
    expect(modal.double.calls).toEqual([]);
  });
});

describe('what is wrong with the account', () => {
  test('a token that is refused', async () => {
    await using modal = await openModalTest();
    const token = { tokenId: 'ak-double', tokenSecret: new Secret('MODAL_TOKEN_SECRET', 'as-wrong') };
    const refused = { code: 'config.modal-denied', hint: expect.stringContaining('modal token new') };
    const backend = modal.createBackend(token);
    await expect(backend.open({ taskId: 'refused' })).rejects.toMatchObject(refused);
    await expect(backend.preflight()).rejects.toMatchObject(refused);
  });

  test('no credentials, which is told without the network', async () => {
    await using modal = await openModalTest();
    delete process.env['MODAL_TOKEN_ID'];
    delete process.env['MODAL_TOKEN_SECRET'];
    await expect(modal.createBackend({ environment: {} }).preflight()).rejects.toMatchObject({
      code: 'config.missing-credentials',
      hint: expect.stringContaining('MODAL_TOKEN_ID'),
    });
    expect(modal.double.calls).toEqual([]);
  });

  test('two kinds of credentials', async () => {
    await using modal = await openModalTest();
    const environment = { ...modal.double.environment, MODAL_OAUTH_CLIENT_ID: 'oc-1' };
    await expect(modal.createBackend({ environment }).preflight()).rejects.toMatchObject({ code: 'config.invalid' });
    const half = { MODAL_OAUTH_CLIENT_ID: 'oc-1' };
    await expect(modal.createBackend({ environment: half }).preflight()).rejects.toMatchObject({
      code: 'config.invalid',
    });
  });

  test('a server that the SDK would not ask', async () => {
    await using modal = await openModalTest();
    const environment = { ...modal.double.environment, MODAL_SERVER_URL: 'http://127.0.0.1:1' };
    await expect(modal.createBackend({ environment }).preflight()).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining('http://127.0.0.1:1'),
    });
  });

  test('a service that cannot be reached is the user’s to mend before a run', async () => {
    await using modal = await openModalTest();
    process.env['MODAL_SERVER_URL'] = 'http://127.0.0.1:1';
    await expect(modal.createBackend({ environment: {} }).preflight()).rejects.toMatchObject({
      code: 'config.modal-unreachable',
      message: expect.stringContaining('http://127.0.0.1:1'),
      hint: expect.stringContaining('proxy'),
    });
  });

  test.each([
    [{ stateFolder: 'state' }],
    [{ appName: 'no spaces' }],
    [{ tokenId: 'ak-1' }],
    [{ cpus: 0 }],
    [{ idleTimeoutMs: Number.NaN }],
  ])('options like %j are refused at once', (options) => {
    expect(() => createModalBackend({ stateFolder: '/state', environment: {}, ...options })).toThrow(
      expect.objectContaining({ code: 'config.invalid' }),
    );
  });

  test('a variable that looks secret is refused at once', () => {
    const options = { stateFolder: '/state', environment: { API_KEY: 'k' }, passthrough: ['API_KEY'] };
    expect(() => createModalBackend(options)).toThrow(expect.objectContaining({ code: 'config.secret-variable' }));
  });
});

/** Takes the entry of a sandbox that never was, as the sweep after its owner's end does. */
async function forget(modal: ModalTest, name: string): Promise<void> {
  const { createSandboxLedger } = await import('../src/ledger/sandbox-ledger.ts');
  expect(await createSandboxLedger(modal.stateFolder).remove(name)).toBe(true);
}
