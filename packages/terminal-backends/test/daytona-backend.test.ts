import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { Daytona } from '@daytona/sdk';
import { describe, expect, jest, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { createDaytonaDouble } from '@talaria/testing-services/daytona';
import { createDaytonaBackend } from '../src/daytona/index.ts';
import { writeLabels } from '../src/daytona/sandbox-labels.ts';
import { changeEntry, describeNamesake } from './disguise-owner.ts';
import { until } from './fixtures/ssh-server.ts';
import { createHastyClock, createWarningLog, openDaytona } from './open-daytona.ts';

// Other work may keep this machine busy.
jest.setTimeout(120_000);

const probe = await createDaytonaDouble();
const { isolation } = probe;
await probe[Symbol.asyncDispose]();
/** `describe` where sandboxes have a file system of their own: elsewhere these tests would write to the host's. */
const describeIsolated = isolation === 'namespace' ? describe : describe.skip;

describe('creating', () => {
  test('says all that Daytona is to know, so that a sandbox ends by itself in three ways', async () => {
    const logger = createWarningLog();
    await using open = await openDaytona({ logger, user: 'root', networkAllowList: ['10.0.0.0/8', '1.1.1.1/32'] });
    const { backend, double } = open;
    const spec = { cpus: 1.5, memoryMiB: 2_049, diskMiB: 51_200, maxLifetimeMs: 90_000 };
    await using sandbox = await backend.open({ taskId: 'some task/1', ...spec });
    const { body = {} } = double.requests.find(({ route }) => route === 'POST /sandbox') ?? {};
    expect(body).toMatchObject({
      ...{ name: sandbox.id, buildInfo: { dockerfileContent: 'FROM debian:12-slim\n' }, user: 'root', target: 'local' },
      ...{ cpu: 2, memory: 3, disk: 10, autoStopInterval: 32, autoDeleteInterval: 0, ttlMinutes: 32 },
      ...{ networkAllowList: '10.0.0.0/8,1.1.1.1/32', env: {} },
      labels: { talaria: '1', 'talaria-task': 'some task/1', 'talaria-expires': expect.stringMatching(/^\d+$/) },
    });
    expect(sandbox.id).toMatch(/^talaria-some-task-1_[0-9a-f]{24}$/);
    expect(logger.warnings).toEqual([['sandbox.disk-capped', { askedGiB: 50, givenGiB: 10 }]]);
  });

  test('takes a snapshot, and keeps programs off the network', async () => {
    const logger = createWarningLog();
    await using open = await openDaytona({ logger });
    const { backend, double } = open;
    const spec = { image: 'snapshot:my-snapshot', memoryMiB: 1_024, allowNetwork: false };
    await using _sandbox = await backend.open({ taskId: 'one', ...spec });
    const { body = {} } = double.requests.find(({ route }) => route === 'POST /sandbox') ?? {};
    expect(body).toMatchObject({ snapshot: 'my-snapshot', networkBlockAll: true });
    expect(body).not.toHaveProperty('memory');
    expect(logger.warnings.map(([event]) => event)).toEqual(['sandbox.resources-ignored']);
  });

  test('needs an image', async () => {
    await using open = await openDaytona({ image: undefined });
    await expect(open.backend.open({ taskId: 'one' })).rejects.toMatchObject({ code: 'config.missing-image' });
    expect(open.double.requests).toEqual([]);
  });

  test('waits for a slow one', async () => {
    await using open = await openDaytona({}, [{ fault: 'slow', on: 'POST /sandbox', durationMs: 300 }]);
    await using sandbox = await open.backend.open({ taskId: 'one' });
    expect(await sandbox.ping()).toBe(true);
  });

  test('gives up in time, and leaves none behind', async () => {
    await using open = await openDaytona({ createTimeoutMs: 300 }, [
      { fault: 'slow', on: 'POST /sandbox', durationMs: 60_000 },
    ]);
    await expect(open.backend.open({ taskId: 'one' })).rejects.toMatchObject({
      ...{ code: 'sandbox.timeout', phase: 'create', retryable: true, started: false },
    });
    expect({ left: open.double.sandboxes, recorded: await open.recorded() }).toEqual({ left: [], recorded: [] });
  });

  test('tries again when it is refused for the rate, after the time that Daytona asks for', async () => {
    const clock = createHastyClock();
    await using open = await openDaytona({ clock }, [
      { fault: 'status', on: 'POST /sandbox', status: 429, retryAfter: '7' },
      { fault: 'status', on: 'POST /sandbox', status: 429 },
    ]);
    await using _sandbox = await open.backend.open({ taskId: 'one' });
    expect(clock.waitsMs[0]).toBe(7_000);
    expect(open.double.requests.filter(({ route }) => route === 'POST /sandbox')).toHaveLength(3);
  });

  test.each([undefined, 'Rate limit exceeded'])('tells of a rate that stays too high: %s', async (message) => {
    await using open = await openDaytona({ clock: createHastyClock() }, [
      { fault: 'status', on: 'POST /sandbox', status: 429, message, times: Number.POSITIVE_INFINITY },
    ]);
    await expect(open.backend.open({ taskId: 'one' })).rejects.toMatchObject({
      ...{ code: 'sandbox.rate-limited', retryable: true, started: false },
    });
  });

  test.each([
    { fault: 'status', status: 500 },
    { fault: 'status', status: 503 },
    { fault: 'create-failed', reason: 'no runner is free' },
  ] as const)('leaves none behind after %j', async (fault) => {
    await using open = await openDaytona({}, [{ ...fault, on: 'POST /sandbox' }]);
    await expect(open.backend.open({ taskId: 'one' })).rejects.toMatchObject({
      ...{ code: 'sandbox.failed', phase: 'create', retryable: true },
    });
    expect({ left: open.double.sandboxes, recorded: await open.recorded() }).toEqual({ left: [], recorded: [] });
  });

  test.each([{ fault: 'hang-up', hasEffect: true }, { fault: 'cut' }] as const)(
    'takes the sandbox that a lost answer was about: %j',
    async (fault) => {
      await using open = await openDaytona({}, [{ ...fault, on: 'POST /sandbox' }]);
      await using sandbox = await open.backend.open({ taskId: 'one' });
      expect(open.double.sandboxes.map(({ name }) => name)).toEqual([sandbox.id]);
    },
  );

  test('shows the last lines of a build that failed, and hands on all', async () => {
    const logs = Array.from({ length: 40 }, (_, index) => `#${index} step`).concat('#40 ERROR: no such image');
    const heard: string[] = [];
    await using open = await openDaytona({ onBuildLog: ({ text }) => heard.push(text) }, [
      { fault: 'build-failed', logs },
    ]);
    await expect(open.backend.open({ taskId: 'one', image: 'debian:none' })).rejects.toMatchObject({
      code: 'sandbox.build-failed',
      message: expect.stringMatching(
        /debian:none: #40 ERROR: no such image\n.*\n#21 step\n[\s\S]*#40 ERROR: no such image$/,
      ),
    });
    expect(heard.join('\n').split('\n')).toEqual(logs);
    expect({ left: open.double.sandboxes, recorded: await open.recorded() }).toEqual({ left: [], recorded: [] });
  });

  test.each([0, 1, 2, 3, 4, 5])('that is aborted after %i requests leaves none behind', async (count) => {
    await using open = await openDaytona();
    await expectAbort(open, count);
  });

  test('that is aborted while it is slow leaves none behind, and does not wait for it', async () => {
    await using open = await openDaytona({}, [{ fault: 'slow', on: 'POST /sandbox', durationMs: 60_000 }]);
    await expectAbort(open, 2);
  });
});

async function expectAbort({ backend, double, recorded }: Awaited<ReturnType<typeof openDaytona>>, count: number) {
  const controller = new AbortController();
  const reason = new Error('stop');
  let isOver = false;
  const opening = backend.open({ taskId: 'one' }, { signal: controller.signal });
  const failure = expect(
    opening.finally(() => {
      isOver = true;
    }),
  ).rejects.toBe(reason);
  while (double.requests.length < count && !isOver) await setImmediate();
  controller.abort(reason);
  await failure;
  expect({ left: double.sandboxes, recorded: await recorded() }).toEqual({ left: [], recorded: [] });
}

describe('credentials', () => {
  test('are needed', async () => {
    await using open = await openDaytona({ environment: {} });
    const failure = { code: 'config.missing-credentials', hint: expect.stringContaining('DAYTONA_API_KEY') };
    await expect(open.backend.preflight()).rejects.toMatchObject(failure);
    await expect(open.backend.open({ taskId: 'one' })).rejects.toMatchObject(failure);
  });

  test('must be right, and stand in no message', async () => {
    await using open = await openDaytona({ apiKey: new Secret('DAYTONA_API_KEY', 'dtn_wrong-key') });
    const error = await open.backend.preflight().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'config.daytona-denied' });
    expect(String(error)).not.toContain('dtn_wrong-key');
    await expect(open.backend.open({ taskId: 'one' })).rejects.toMatchObject({ code: 'config.daytona-denied' });
    expect(await open.recorded()).toEqual([]);
  });

  test('are tried before a run', async () => {
    await using open = await openDaytona();
    await expect(open.backend.preflight()).resolves.toBeUndefined();
  });

  test('need somebody who answers', async () => {
    await using open = await openDaytona({ apiUrl: 'http://127.0.0.1:9/api' });
    await expect(open.backend.preflight()).rejects.toMatchObject({
      code: 'config.daytona-unreachable',
      message: expect.stringContaining('http://127.0.0.1:9/api'),
    });
    await expect(open.backend.open({ taskId: 'one' })).rejects.toMatchObject({
      code: 'sandbox.unreachable',
      retryable: true,
    });
  });

  test('are for a package that is installed', async () => {
    const missing = Object.assign(new Error("Cannot find package '@daytona/sdk' imported from x"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    await using open = await openDaytona({ importSdk: () => Promise.reject(missing) });
    await expect(open.backend.preflight()).rejects.toMatchObject({
      ...{ code: 'config.missing-package', hint: 'Install it: npm install @daytona/sdk', cause: missing },
    });
  });

  test('a fault of another package is told as it is', async () => {
    const other = Object.assign(new Error("Cannot find package 'axios' imported from x"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    await using open = await openDaytona({ importSdk: () => Promise.reject(other) });
    await expect(open.backend.preflight()).rejects.toBe(other);
  });

  test('options that make no sense are refused at once', () => {
    expect(() => createDaytonaBackend({ stateFolder: 'relative', environment: {} })).toThrow(/not absolute/);
    expect(() => createDaytonaBackend({ stateFolder: '/', environment: {}, apiUrl: 'app.daytona.io' })).toThrow(
      /address/,
    );
    const environment = { MY_API_KEY: 'secret' };
    const passthrough = ['MY_API_KEY'];
    expect(() => createDaytonaBackend({ stateFolder: '/', environment, passthrough })).toThrow(/MY_API_KEY/);
  });
});

describe('preflight', () => {
  test('tries all images and tells of all that are wrong', async () => {
    await using open = await openDaytona({}, [
      { fault: 'build-failed', logs: ['no such image'] },
      { fault: 'build-failed', logs: ['no such image'] },
    ]);
    const images = ['a:1', 'b:1', 'a:1', 'c:1'];
    await expect(open.backend.preflight({ images, mode: 'start' })).rejects.toMatchObject({
      code: 'config.missing-image',
      message: expect.stringMatching(/^2 of 3 images cannot be used:\n.*no such image/),
    });
    expect(open.double.sandboxes).toEqual([]);
  });
});

describeIsolated('a command', () => {
  test('takes one request', async () => {
    await using open = await openDaytona();
    await using sandbox = await open.backend.open({ taskId: 'one' });
    const counts: number[] = [];
    for (let index = 0; index < 8; index += 1) {
      const before = open.double.requests.length;
      await sandbox.run('echo one');
      counts.push(open.double.requests.length - before);
    }
    // More only where this machine is busy.
    expect(Math.min(...counts)).toBe(1);
  });

  test.each([
    ['a busy service', { fault: 'status', status: 503, times: 3 }],
    ['a rate limit', { fault: 'status', status: 429, retryAfter: '0', times: 2 }],
    ['a connection that is closed before anything is done', { fault: 'hang-up', times: 2 }],
    ['a connection that is closed after all was done', { fault: 'hang-up', hasEffect: true, times: 4 }],
    ['a connection that breaks in the middle of an answer', { fault: 'cut', times: 3 }],
    ['a slow service', { fault: 'slow', durationMs: 300 }],
  ] as const)('runs once, and all of its output comes, in spite of %s', async (_what, fault) => {
    await using open = await openDaytona({ clock: createHastyClock() });
    await using sandbox = await open.backend.open({ taskId: 'one' });
    open.double.inject({ ...fault, on: 'POST /process/execute' });
    const result = await sandbox.run('echo ran >>~/log; seq 100000; exit 3');
    expect(result).toMatchObject({ kind: 'exited', exitCode: 3, truncatedBytes: 0 });
    expect(result.output).toBe(Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join(''));
    expect((await sandbox.run('cat ~/log')).output).toBe('ran\n');
  });

  test('that runs while its sandbox is lost says so', async () => {
    await using open = await openDaytona({ clock: createHastyClock() });
    await using sandbox = await open.backend.open({ taskId: 'one' });
    open.double.inject({ fault: 'lost', on: 'POST /process/execute', afterMs: 200 });
    await expect(sandbox.run('echo begun; sleep 600')).rejects.toMatchObject({ code: 'sandbox.lost', started: true });
    expect(await sandbox.ping()).toBe(false);
    await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'sandbox.lost' });
    await expect(sandbox.readFile('~/file')).rejects.toMatchObject({ code: 'sandbox.lost' });
    await sandbox[Symbol.asyncDispose]();
    expect(await open.recorded()).toEqual([]);
  });

  test.each(['stopped', 'archived'] as const)('finds the sandbox lost that was %s behind our back', async (what) => {
    await using open = await openDaytona({ clock: createHastyClock() });
    await using sandbox = await open.backend.open({ taskId: 'one' });
    const background = await sandbox.spawn('sleep 600');
    await open.double.strike(sandbox.id, what);
    await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'sandbox.lost' });
    expect(await background.wait()).toMatchObject({ exitCode: 137 });
    expect(open.double.requests.filter(({ route }) => route === 'POST /sandbox/{id}/start')).toEqual([]);
  });

  test('is ended at its time limit, and the sandbox stays usable', async () => {
    await using open = await openDaytona();
    await using sandbox = await open.backend.open({ taskId: 'one' });
    const result = await sandbox.run('echo begun; setsid sleep 4731 & sleep 4731', { timeoutMs: 1_500 });
    expect(result).toMatchObject({ kind: 'timed-out', output: 'begun\n' });
    expect((await sandbox.run('grep -slz "^4731$" /proc/[0-9]*/cmdline')).output).toBe('');
  });

  test('sees no variable of the host but those that are handed on', async () => {
    await using open = await openDaytona();
    const backend = createDaytonaBackend({
      ...open.options,
      environment: { ...open.options.environment, HOST_ONLY: 'host-only', WANTED: 'wanted', OPENAI_API_KEY: 'sk-host' },
      passthrough: ['WANTED'],
      env: { FIXED: 'fixed' },
    });
    await using sandbox = await backend.open({ taskId: 'one', env: { OF_TASK: 'of-task' } });
    const { output } = await sandbox.run('env; cat /proc/[0-9]*/environ | tr "\\0" "\\n"');
    for (const word of ['WANTED=wanted', 'FIXED=fixed', 'OF_TASK=of-task']) expect(output).toContain(word);
    for (const word of ['host-only', 'sk-host', open.double.apiKey, 'TALARIA_FILE']) expect(output).not.toContain(word);
    const list = await sandbox.run('cat /proc/[0-9]*/cmdline', { env: { PASS: 'hush-hush' } });
    expect(list.output).not.toContain('hush-hush');
  });

  test('finds its state and its folders anew where a command has removed them', async () => {
    await using open = await openDaytona();
    await using sandbox = await open.backend.open({ taskId: 'one', env: { FIRST: 'yes' } });
    await sandbox.run('rm -rf /tmp/.talaria* /dev/shm/.talaria*', { timeoutMs: 20_000 });
    // The command lost what it is told by, and may still be removing.
    await until(async () => {
      const result = await sandbox.run('echo $FIRST; cat', { stdin: 'input' }).catch(() => undefined);
      return result?.output === 'yes\ninput';
    }, 'commands find state and folders');
    await sandbox.run('export KEPT=1');
    expect((await sandbox.run('echo $KEPT')).output).toBe('1\n');
  });

  test('may write far more than is kept', async () => {
    await using open = await openDaytona();
    await using sandbox = await open.backend.open({ taskId: 'one' });
    const result = await sandbox.run('echo begin; head -c 200000000 /dev/zero; echo end', { maxOutputBytes: 10_000 });
    expect(result).toMatchObject({ kind: 'exited', exitCode: 0, truncatedBytes: 200_000_010 - 10_000 });
    expect(result.output).toMatch(/^begin\n\0+end\n$/);
    expect(result.outputBytes).toHaveLength(10_000);
    const answered = open.double.requests.length;
    expect(answered).toBeLessThan(40);
  });

  test('is one of 64 beside each other and 64 in order', async () => {
    await using open = await openDaytona();
    await using sandbox = await open.backend.open({ taskId: 'one' });
    const numbers = Array.from({ length: 64 }, (_, index) => index);
    const beside = numbers.map((number) => sandbox.run(`echo ${number}`, { isStateless: true }));
    const inOrder = numbers.map((number) => sandbox.run(`LAST="$LAST ${number}"; export LAST; echo ${number}`));
    const outputs = await Promise.all([...beside, ...inOrder].map(async (run) => (await run).output));
    expect(outputs).toEqual([...numbers, ...numbers].map((number) => `${number}\n`));
    expect((await sandbox.run('echo $LAST')).output).toBe(`${numbers.join(' ')}\n`);
  });

  test('runs where the daemon hands on no variables', async () => {
    await using open = await openDaytona({ importSdk: async () => ({ Daytona: DeafDaytona }) });
    await using sandbox = await open.backend.open({ taskId: 'one', env: { FIRST: 'yes' } });
    expect((await sandbox.run('echo $FIRST; cat', { stdin: 'in\0put' })).output).toBe('yes\nin\0put');
    const started = await sandbox.spawn('cat');
    await started.write('more');
    await started.closeStdin();
    await started.wait();
    expect(Buffer.from((await started.readOutput(0)).bytes).toString()).toBe('more');
  });
});

/** The SDK with a daemon that knows nothing of variables. */
class DeafDaytona extends Daytona {
  override async create(...args: Parameters<Daytona['create']>) {
    const sandbox = await super.create(...args);
    const { process } = sandbox;
    const execute = process.executeCommand.bind(process);
    process.executeCommand = (command, cwd, _env, timeout) => execute(command, cwd, undefined, timeout);
    return sandbox;
  }
}

describeIsolated('a process in the background', () => {
  test('takes much input and gives it back, in spite of faults', async () => {
    await using open = await openDaytona({ clock: createHastyClock() });
    await using sandbox = await open.backend.open({ taskId: 'one' });
    const started = await sandbox.spawn('wc -c; echo done');
    open.double.inject(
      { fault: 'cut', on: 'POST /files/bulk-upload' },
      { fault: 'hang-up', on: 'POST /process/execute', hasEffect: true, skip: 1, times: 3 },
    );
    for (let index = 0; index < 3; index += 1) await started.write(Buffer.alloc(1_000_000, 'x'));
    await started.closeStdin();
    expect(await started.wait()).toMatchObject({ exitCode: 0 });
    expect(Buffer.from((await started.readOutput(0)).bytes).toString()).toBe('3000000\ndone\n');
  });

  test('that is aborted while it is started never runs, whichever request comes first', async () => {
    await using open = await openDaytona();
    await using sandbox = await open.backend.open({ taskId: 'one' });
    open.double.inject({ fault: 'slow', on: 'POST /process/execute', durationMs: 400 });
    const before = open.double.requests.filter(({ route }) => route === 'POST /process/execute').length;
    const controller = new AbortController();
    const reason = new Error('stop');
    const failure = expect(sandbox.spawn('echo ran >~/ran', { signal: controller.signal })).rejects.toBe(reason);
    await open.double.whenRequested('POST /process/execute', before + 1);
    controller.abort(reason);
    await failure;
    await sandbox.run('sleep 1');
    expect(await sandbox.stat('~/ran')).toBeNull();
  });

  test('that writes without end does not keep the host busy, and keeps count', async () => {
    await using open = await openDaytona();
    await using sandbox = await open.backend.open({ taskId: 'one' });
    const started = await sandbox.spawn('yes');
    while ((await started.readOutput(0)).totalBytes < 5_000_000) await started.wait({ timeoutMs: 20 });
    const before = open.double.requests.length;
    await started.wait({ timeoutMs: 1_000 });
    expect(open.double.requests.length - before).toBeLessThan(15);
    const { bytes, droppedBytes } = await started.readOutput(0);
    expect(droppedBytes).toBeGreaterThan(4_000_000);
    expect(Buffer.from(bytes).toString()).toMatch(/^\n?(y\n)+y?$/);
    await started.kill({ graceMs: 100 });
  });

  test('in a terminal goes on when the connection to it breaks', async () => {
    await using open = await openDaytona();
    await using sandbox = await open.backend.open({ taskId: 'one' });
    open.double.inject({ fault: 'cut', on: 'WS /process/pty/create-connect', bytes: 1_500 });
    const started = await sandbox.spawn('stty size; stty -echo; read a; seq 500; read b; echo "got $a $b"; exit 4', {
      pty: true,
    });
    await started.write('one\n');
    await open.double.whenRequested('WS /process/pty/{pty}/connect');
    await started.write('two\n');
    expect(await started.wait()).toMatchObject({ exitCode: 4 });
    expect(Buffer.from((await started.readOutput(0)).bytes).toString()).toMatch(/30 120\r\n[\s\S]*got one two\r\n$/);
  });
});

describe('what others left', () => {
  test('is listed and swept, but what lives is left alone', async () => {
    await using open = await openDaytona();
    const { backend, double } = open;
    await using sandbox = await backend.open({ taskId: 'mine' });
    expect(await backend.list()).toEqual([
      expect.objectContaining({
        id: sandbox.id,
        backend: 'daytona',
        taskId: 'mine',
        ownerState: 'alive',
        state: 'started',
      }),
    ]);
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    expect(double.sandboxes).toHaveLength(1);
  });

  test.each(['starting', 'ready'] as const)('by a process that was killed when it was %s is swept', async (moment) => {
    await using open = await openDaytona();
    const { backend, double, options, recorded } = open;
    const owner = startOwner(options);
    await lineOf(owner, moment);
    if (moment === 'starting') await double.whenRequested('POST /sandbox');
    await killHard(owner);
    expect(await recorded()).toHaveLength(1);
    const report = await backend.sweep();
    expect(report.failed).toEqual([]);
    expect({ left: double.sandboxes, recorded: await recorded() }).toEqual({ left: [], recorded: [] });
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
  });

  test('by a machine of the same name is left alone until its time is over', async () => {
    await using open = await openDaytona();
    const { backend, double } = open;
    await using sandbox = await backend.open({ taskId: 'theirs' });
    const client = new Daytona({ apiKey: double.apiKey, apiUrl: double.apiUrl });
    const owner = await describeNamesake();
    const disguise = async (expiresAt: number) => {
      await (await client.get(sandbox.id)).setLabels(writeLabels({ taskId: 'theirs', owner, expiresAt }));
      await changeEntry(open.stateFolder, sandbox.id, { owner, expiresAt });
    };
    await disguise(Date.now() + 3_600_000);
    expect((await backend.list()).map(({ ownerState }) => ownerState)).toEqual(['unknown']);
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    expect(double.sandboxes).toHaveLength(1);
    await disguise(1);
    expect(await backend.sweep()).toEqual({ removed: [sandbox.id], failed: [] });
    await client[Symbol.asyncDispose]();
  });

  test('is swept by its labels alone, in any state', async () => {
    await using open = await openDaytona();
    const owner = startOwner({ ...open.options, stateFolder: `${open.stateFolder}/other` });
    const [, id = ''] = await lineOf(owner, 'ready');
    await killHard(owner);
    expect(await open.backend.list()).toEqual([expect.objectContaining({ id, ownerState: 'dead' })]);
    expect(await open.backend.sweep()).toEqual({ removed: [id], failed: [] });
    expect(open.double.sandboxes).toEqual([]);
  });

  test('that cannot be removed now is told of, and kept for later', async () => {
    await using open = await openDaytona();
    const owner = startOwner(open.options);
    const [, id = ''] = await lineOf(owner, 'ready');
    await killHard(owner);
    open.double.inject({ fault: 'status', on: 'DELETE /sandbox/{id}', status: 403 });
    expect(await open.backend.sweep()).toMatchObject({ removed: [], failed: [{ name: id }] });
    expect(await open.recorded()).toEqual([`${id}.json`]);
    expect(await open.backend.sweep()).toEqual({ removed: [id], failed: [] });
  });
});

function startOwner(options: object): ChildProcess {
  return spawn(
    process.execPath,
    ['--conditions=@talaria/source', join(import.meta.dirname, 'fixtures/daytona-owner.ts'), JSON.stringify(options)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
}

async function lineOf(owner: ChildProcess, start: string): Promise<string[]> {
  for await (const line of createInterface({ input: owner.stdout! })) {
    if (line.startsWith(start)) return line.split(' ');
  }
  throw new Error(`The owner ended before it said ${start}`);
}

async function killHard(owner: ChildProcess): Promise<void> {
  const ended = once(owner, 'exit');
  owner.kill('SIGKILL');
  await ended;
}
