import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { silentLogger, systemClock } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import { createBesideScripts } from '../src/remote/beside-scripts.ts';
import { exportLines } from '../src/remote/command-text.ts';
import { createKiller } from '../src/remote/killer.ts';
import { LauncherPool } from '../src/remote/launcher-pool.ts';
import { RemoteCommands } from '../src/remote/remote-commands.ts';
import { startDirectRunner } from '../src/remote/start-direct-runner.ts';
import type { SandboxTransport } from '../src/remote/transport.ts';
import { createHastyClock } from './open-daytona.ts';
import { createProcessTransport } from './process-transport.ts';
import { createSilentProcess, type SilentProcess } from './silent-process.ts';

const { signal } = new AbortController();
const path = process.env['PATH'] ?? '/usr/bin:/bin';
const reason = new Error('stop');

// Each opens some launchers, on a machine that may be busy.
jest.setTimeout(60_000);

describe('a launcher that stands still', () => {
  const clock = createHastyClock();
  const tools = { clock, logger: silentLogger, killGraceMs: 50 };
  let folder: string;
  let runner: LauncherPool;
  let transport: SandboxTransport;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'talaria-silence-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    transport = createProcessTransport({ PATH: path, HOME: folder });
    const environmentScript = () => exportLines({ PATH: path, HOME: folder });
    const stateId = `silence${process.pid}`;
    runner = await LauncherPool.open({ transport, stateId, clock, environmentScript }, signal);
  });
  afterEach(async () => {
    runner.close();
    for (const pid of await stoppedLaunchers()) process.kill(pid, 'SIGKILL');
    await rm(join(folder, 'stopped'), { force: true });
    await rm(runner.stateFolder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Stops the launcher that runs it. */
  const standStill = () => `echo $PPID >>${folder}/stopped; kill -STOP $PPID; exec sleep 600`;

  async function stoppedLaunchers(): Promise<readonly number[]> {
    const text = await readFile(join(folder, 'stopped'), 'utf8').catch(() => '');
    return text.split('\n').slice(0, -1).map(Number);
  }

  async function waitForStopped(count: number): Promise<void> {
    while ((await stoppedLaunchers()).length < count) await systemClock.sleep(10);
  }

  function createScripts() {
    const killer = createKiller(transport, tools);
    return createBesideScripts(
      { transport, runner, killer, tools },
      { start: () => Promise.reject(new Error('none')) },
    );
  }

  test('lets no file operation wait beyond its abort, and each gives its place back', async () => {
    const scripts = createScripts();
    const stop = new AbortController();
    const calls = Array.from({ length: 8 }, () => scripts.run(standStill(), [], { signal: stop.signal }));
    const ends = Promise.allSettled(calls);
    await waitForStopped(8);
    stop.abort(reason);
    expect(await ends).toEqual(calls.map(() => ({ status: 'rejected', reason })));
    expect(Buffer.from((await scripts.run('echo on', [])).output).toString()).toBe('on\n');
  });

  test('lets no file operation wait beyond its time limit', async () => {
    const scripts = createScripts();
    await expect(scripts.run(standStill(), [], { timeoutMs: 300 })).rejects.toMatchObject({ code: 'sandbox.timeout' });
  });

  test('keeps no place of a call beside the commands that cannot be ended', async () => {
    const place = { sandboxId: 'x', limitMark: null, transport, runner, shell: 'bash', tools } as const;
    const commands = new RemoteCommands(
      {
        ...place,
        killer: createKiller(transport, tools),
        defaultTimeoutMs: 20_000,
        resolvePath: async (name) => name,
      },
      '/',
    );
    const run = (command: string, timeoutMs: number) => commands.run(command, { timeoutMs, isStateless: true }, signal);
    const results = await Promise.all(Array.from({ length: 8 }, () => run(standStill(), 400)));
    expect(results.map(({ kind }) => kind)).toEqual(results.map(() => 'timed-out'));
    expect(await run('echo on', 10_000)).toMatchObject({ kind: 'exited', output: 'on\n' });
    const inOrder = await commands.run(standStill(), { timeoutMs: 400 }, signal);
    expect(inOrder.kind).toBe('timed-out');
    expect(await commands.run('echo on', {}, signal)).toMatchObject({ kind: 'exited', output: 'on\n' });
  });
});

describe('a sandbox that does not answer', () => {
  const hello = '\x1eB:hello\x1e\x1eE:hello:0:0:/state\x1eZ:hello\x1e';
  const clock = createManualClock();

  function createSilentTransport(opening: string): SandboxTransport & { readonly started: SilentProcess[] } {
    const started: SilentProcess[] = [];
    return {
      kind: 'docker',
      isInteractive: true,
      hasPty: false,
      started,
      isAlive: async () => true,
      async start() {
        const silent = createSilentProcess(opening);
        started.push(silent);
        return silent;
      },
    };
  }
  const parts = { stateId: 'x', clock, environmentScript: () => '' };
  const openings = {
    'while a launcher is opened': (transport: SandboxTransport, aborting: AbortSignal) =>
      LauncherPool.open({ transport, ...parts }, aborting),
    'while its shell is looked for': (transport: SandboxTransport, aborting: AbortSignal) =>
      startDirectRunner({ transport, ...parts }, aborting),
  };

  test.each(Object.entries(openings))('rejects with the abort %s', async (_when, open) => {
    for (const opening of ['', hello]) {
      const transport = createSilentTransport(opening);
      const stop = new AbortController();
      const refused = expect(open(transport, stop.signal)).rejects.toBe(reason);
      await clock.advance(1);
      stop.abort(reason);
      // What makes something may finish.
      await clock.advance(5_000);
      await refused;
      expect(transport.started.map((each) => each.isClosed())).toEqual([true]);
    }
  });

  test.each(Object.entries(openings))('is not waited for without end %s', async (_when, open) => {
    for (const opening of ['', hello]) {
      const transport = createSilentTransport(opening);
      const refused = expect(open(transport, signal)).rejects.toMatchObject({
        code: 'sandbox.timeout',
        started: false,
        retryable: true,
      });
      await clock.advance(120_000);
      await refused;
      expect(transport.started.map((each) => each.isClosed())).toEqual([true]);
    }
  });

  test('lets no command wait without end for a new launcher', async () => {
    const silent = createSilentTransport('');
    const real = createProcessTransport({ PATH: path, HOME: '/' });
    const transport: SandboxTransport = {
      ...silent,
      start: (request) => (real.startCount() === 0 ? real : silent).start(request),
    };
    const stateId = `reopened${process.pid}`;
    const pool = await LauncherPool.open({ transport, ...parts, stateId }, signal);
    pool.retire();
    const request = { execId: 'x', text: 'true', variables: '', state: null, hear: () => undefined };
    const running = pool.runInOrder(request, { signal, onStart: () => undefined });
    const refused = expect(running).rejects.toMatchObject({ code: 'sandbox.timeout', started: false });
    await clock.advance(120_000);
    await refused;
    await rm(pool.stateFolder, { recursive: true, force: true, maxRetries: 5 });
  });

  test('holds up no killer: neither its start, nor room for it, nor the end of all', async () => {
    const never = () => new Promise<never>(() => undefined);
    const killer = createKiller(
      { ...createSilentTransport(''), start: never, makeRoom: never, endEverything: never },
      { clock, logger: silentLogger },
    );
    const ending = killer.end({ mode: 'all' }, 1_000);
    for (let minute = 0; minute < 4; minute += 1) await clock.advance(60_000);
    expect(await ending).toBeNull();
    expect(clock.pendingCount).toBe(0);
  });
});
