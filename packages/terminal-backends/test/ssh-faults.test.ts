import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { type Clock, errorMessage, type Logger, silentLogger, systemClock } from '@talaria/core';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { parseProcStat } from '../src/ledger/proc-stat.ts';
import { describeOwner } from '../src/ledger/sandbox-owner.ts';
import { limitMarkOf, parseLimitMark } from '../src/local/limit-mark.ts';
import { createSshBackend, type SshBackendOptions } from '../src/ssh/index.ts';
import { processesWith, startSshServer, type TestSshServer, until } from './fixtures/ssh-server.ts';

const run = promisify(execFile);

/** What only some machines can do: skipped with its reason, or a failure where everything has to run. */
function declareWhere(lack: string | null, title: string, work: () => Promise<void>, patienceMs?: number): void {
  const isNeeded = process.env['TALARIA_REQUIRE_SERVICES'] === '1';
  if (lack === null || isNeeded) {
    test(
      title,
      async () => {
        if (lack !== null) throw new Error(`This has to be tested here, but ${lack}`);
        await work();
      },
      patienceMs,
    );
  } else {
    process.stderr.write(`SKIPPED ${title}: ${lack}\n`);
    test.skip(`${title}: ${lack}`, () => undefined);
  }
}

const mayBecomeOthers = process.getuid?.() === 0 ? null : 'only root may start processes of other users';
const mayMakeNetworks = await openNetwork().then(
  async (network) => {
    await network[Symbol.asyncDispose]();
    return null;
  },
  (error) => `no network of its own can be made: ${errorMessage(error)}`,
);

await describeWithService('ssh', process.env, ({ serverPath }) => {
  test('a server that is killed in mid-command and comes back: an honest error, nothing left, nothing run twice', async () => {
    await using server = await startSshServer(serverPath);
    await using sandbox = await createSshBackend(server.options).open({ taskId: 'crash' });
    await sandbox.run('export kept=yes; cd /tmp');
    const background = await sandbox.spawn('sleep 600');
    const running = sandbox.run('echo once >>~/runs; sleep 600 & sleep 600');
    running.catch(() => undefined);
    await until(
      async () => (await readFile(homeFile(server, sandbox.id, 'runs'), 'utf8').catch(() => '')) !== '',
      'it runs',
    );
    await server.kill();
    await server.start();
    await expect(running).rejects.toMatchObject({
      code: 'sandbox.connection-lost',
      started: true,
      retryable: false,
      hint: expect.stringContaining('has been ended'),
    });
    expect(await background.wait()).toMatchObject({ exitCode: 137 });
    const again = await sandbox.run('echo $kept $PWD; cat ~/runs');
    expect(again).toMatchObject({ kind: 'exited', exitCode: 0, output: 'yes /tmp\nonce\n' });
    await sandbox.killAll();
    expect(await commandsOf(sandbox.id)).toEqual([]);
  }, 60_000);

  test('a server that is away between two commands is waited for', async () => {
    await using server = await startSshServer(serverPath);
    const logged: string[] = [];
    const backend = createSshBackend({ ...server.options, logger: listen(logged) });
    await using sandbox = await backend.open({ taskId: 'pause' });
    await server.kill();
    await until(async () => logged.includes('ssh.connection-lost'), 'the loss is noticed');
    const next = sandbox.run('echo back');
    await until(async () => logged.includes('ssh.reconnect'), 'a connect has failed');
    await server.start();
    expect((await next).output).toBe('back\n');
  }, 60_000);

  test('a server that stays away is told, and the sandbox is swept when it is back', async () => {
    const server = await startSshServer(serverPath);
    const logged: string[] = [];
    const backend = createSshBackend({ ...server.options, logger: listen(logged), clock: hastyClock });
    const sandbox = await backend.open({ taskId: 'away' });
    await server.kill();
    await until(async () => logged.includes('ssh.connection-lost'), 'the loss is noticed');
    await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'sandbox.unreachable', started: false });
    expect(logged.filter((event) => event === 'ssh.reconnect')).toHaveLength(3);
    expect(await sandbox.ping()).toBe(false);
    await sandbox[Symbol.asyncDispose]();
    await server.start();
    expect(await server.places()).toEqual([sandbox.id]);
    await asDeadOwner(server.options, async (backend) => {
      expect((await backend.sweep()).removed).toEqual([sandbox.id]);
    });
    expect(await server.places()).toEqual([]);
    expect(await processesWith(sandbox.id)).toEqual([]);
    await server[Symbol.asyncDispose]();
  }, 90_000);

  test('a folder that was taken away is told as a sandbox that is lost', async () => {
    await using server = await startSshServer(serverPath);
    await using sandbox = await createSshBackend(server.options).open({ taskId: 'gone' });
    await run('rm', ['-rf', join(server.home, '.talaria/tasks', sandbox.id)]);
    expect(await sandbox.ping()).toBe(false);
  });

  declareWhere(
    mayMakeNetworks,
    'a cut network is noticed in bounded time',
    async () => {
      await using network = await openNetwork();
      await using server = await startSshServer(serverPath, { host: network.inside, prefix: network.prefix });
      const backend = createSshBackend({
        ...server.options,
        keepAliveIntervalMs: 300,
        keepAliveLimit: 2,
        connectTimeoutMs: 500,
      });
      const sandbox = await backend.open({ taskId: 'cut' });
      const running = sandbox.run('sleep 600');
      running.catch(() => undefined);
      await sandbox.run('true', { isStateless: true });
      await network.cut();
      const started = performance.now();
      await expect(running).rejects.toMatchObject({ code: 'sandbox.lost', started: true });
      expect(performance.now() - started).toBeLessThan(20_000);
      await network.mend();
      expect((await sandbox.run('echo back')).output).toBe('back\n');
      await sandbox[Symbol.asyncDispose]();
      expect(await server.places()).toEqual([]);
      expect(await processesWith(sandbox.id)).toEqual([]);
    },
    90_000,
  );

  test('aborted at any moment of its opening, a sandbox leaves nothing', async () => {
    await using server = await startSshServer(serverPath);
    const backend = createSshBackend(server.options);
    const started = performance.now();
    await (await backend.open({ taskId: 'measure' }))[Symbol.asyncDispose]();
    const wholeMs = performance.now() - started;
    let aborted = 0;
    for (let part = 0; part <= 24; part += 1) {
      const reason = new Error('stop');
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), (wholeMs * part) / 24);
      try {
        await using _sandbox = await backend.open({ taskId: 'aborted' }, { signal: controller.signal });
      } catch (error) {
        expect(error).toBe(reason);
        aborted += 1;
      }
      expect(await server.places()).toEqual([]);
      await until(async () => (await server.connections()) === 0, 'the connection is closed');
    }
    expect(aborted).toBeGreaterThan(10);
    expect(await readdir(join(server.folder, 'state/sandboxes'))).toEqual([]);
    expect(await processesWith(server.home)).toEqual([]);
  }, 60_000);

  test('what an owner left that was killed is swept, and nothing of a live one', async () => {
    await using server = await startSshServer(serverPath);
    const backend = createSshBackend(server.options);
    await using mine = await backend.open({ taskId: 'mine' });
    const owner = startOwner(server.options);
    const [, id = ''] = await lineOf(owner, 'ready');
    const listed = await backend.list?.();
    expect(listed?.map(({ taskId, ownerState }) => `${taskId} ${ownerState}`).sort()).toEqual([
      'mine alive',
      'owner alive',
    ]);
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    // One of them has shed all marks but its limit.
    expect((await limitedBy(id)).length).toBeGreaterThan((await commandsOf(id)).length);
    await killHard(owner);
    const reports = await Promise.all([backend.sweep(), createSshBackend(server.options).sweep()]);
    expect([...new Set(reports.flatMap(({ removed }) => removed))]).toEqual([id]);
    expect(reports.flatMap(({ failed }) => failed)).toEqual([]);
    expect(await server.places()).toEqual([mine.id]);
    expect(await processesWith(id)).toEqual([]);
    expect(await limitedBy(id)).toEqual([]);
    expect((await mine.run('echo alive')).output).toBe('alive\n');
  }, 60_000);

  test('sandboxes of other machines that use the account are left alone until their time is over', async () => {
    await using server = await startSshServer(serverPath);
    const backend = createSshBackend(server.options);
    const folder = join(server.home, '.talaria/tasks/sandbox_foreign');
    const self = await describeOwner(process.pid);
    const tell = (about: object) => writeFile(join(folder, 'about'), JSON.stringify(about));
    const about = { version: 1, id: 'sandbox_foreign', taskId: 'theirs', createdAt: 0, expiresAt: Date.now() };
    await mkdir(folder, { recursive: true });
    for (const owner of [{ bootId: 'another' }, { host: 'another.example' }, { pidNamespace: 'pid:[1]' }]) {
      // Machines of one name are not told apart but by their boots.
      await tell({ ...about, owner: { ...self, startMark: '1', ...owner } });
      expect((await backend.list?.())?.map(({ ownerState }) => ownerState)).toEqual(['unknown']);
      expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    }
    await tell({ ...about, id: '../../victim', owner: { ...self, startMark: '1' } });
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    await tell({ ...about, expiresAt: Date.now() - 600_000, owner: { ...self, host: 'another.example' } });
    expect((await backend.sweep()).removed).toEqual(['sandbox_foreign']);
    expect(await server.places()).toEqual([]);
  });

  test.each([0, 20, 60, 100, 150, 250])('what is left of a kill %i ms after the start is swept', async (delayMs) => {
    await using server = await startSshServer(serverPath);
    const owner = startOwner(server.options);
    await lineOf(owner, 'starting');
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await killHard(owner);
    await until(async () => (await server.connections()) === 0, 'the server has noticed');
    await createSshBackend(server.options).sweep();
    expect(await server.places()).toEqual([]);
    expect(await readdir(join(server.folder, 'state/sandboxes')).catch(() => [])).toEqual([]);
    expect(await processesWith(server.home)).toEqual([]);
  });

  test('the server itself ends a sandbox whose time is over, with nobody there', async () => {
    await using server = await startSshServer(serverPath);
    const sandbox = await createSshBackend(server.options).open({ taskId: 'watched' });
    await sandbox.spawn('sleep 600');
    await sandbox.run('mkdir locked && touch locked/file && chmod 0 locked');
    const [watchdog] = await processesWith(`TALARIA_WATCHDOG_ID=${sandbox.id}`);
    const line = (await readFile(`/proc/${watchdog}/cmdline`, 'utf8')).split('\0');
    expect(line).toContain('3660');
    // Its time is over when its sleep is.
    const sleeper = (await processesWith(`TALARIA_WATCHDOG_ID=${sandbox.id}`)).at(-1);
    process.kill(sleeper ?? 0, 'SIGTERM');
    await until(async () => (await server.places()).length === 0, 'the folder is gone');
    expect(await commandsOf(sandbox.id)).toEqual([]);
    await until(async () => (await processesWith(sandbox.id)).length === 0, 'the watchdog is gone');
    expect(await sandbox.ping()).toBe(false);
    await sandbox[Symbol.asyncDispose]();
  });

  test('a lifetime that is over ends the sandbox here too', async () => {
    await using server = await startSshServer(serverPath);
    await using sandbox = await createSshBackend(server.options).open({ taskId: 'short', maxLifetimeMs: 600 });
    await expect(sandbox.run('sleep 600')).rejects.toMatchObject({ code: 'sandbox.lost' });
    await until(async () => (await server.places()).length === 0, 'the folder is gone');
    await until(async () => (await processesWith(sandbox.id)).length === 0, 'the watchdog is gone');
  });

  declareWhere(mayBecomeOthers, 'children of another user end with their command', async () => {
    await using server = await startSshServer(serverPath);
    await using sandbox = await createSshBackend(server.options).open({ taskId: 'other-user' });
    const command = `setpriv --reuid 65534 --regid 65534 --clear-groups env -i sh -c 'trap "" TERM; sleep 613 & wait; wait'`;
    expect(await sandbox.run(command, { timeoutMs: 300 })).toMatchObject({ kind: 'timed-out' });
    expect((await sandbox.run(`pgrep -f 'sleep [6]13'`)).output).toBe('');
  });
});

function homeFile(server: TestSshServer, id: string, name: string): string {
  return join(server.home, '.talaria/tasks', id, 'home', name);
}

/** Processes of a sandbox's commands, not its watchdog. */
async function commandsOf(id: string): Promise<number[]> {
  return await processesWith(`TALARIA_SANDBOX_ID=${id}`);
}

/** What shed every other mark, by its limit. The dead keep theirs until somebody takes note of their end. */
async function limitedBy(id: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir('/proc')) {
    const limits = await readFile(`/proc/${name}/limits`, 'utf8').catch(() => '');
    if (parseLimitMark(limits) !== limitMarkOf(id)) continue;
    const facts = parseProcStat(await readFile(`/proc/${name}/stat`, 'latin1').catch(() => ''));
    if (facts !== null && facts.state !== 'Z') found.push(name);
  }
  return found;
}

/** Waits that are meant for a server to come back take a hundredth of their time. */
const hastyClock: Clock = {
  ...systemClock,
  sleep: (durationMs, options) =>
    systemClock.sleep([1_000, 2_000, 4_000].includes(durationMs) ? durationMs / 100 : durationMs, options),
};

function listen(events: string[]): Logger {
  const log = (event: string) => void events.push(event);
  return { ...silentLogger, warn: log };
}

/** Runs with a ledger in which every owner has died. */
async function asDeadOwner(
  options: SshBackendOptions,
  work: (backend: ReturnType<typeof createSshBackend>) => Promise<void>,
): Promise<void> {
  const folder = join(options.stateFolder, 'sandboxes');
  for (const name of await readdir(folder)) {
    const entry = JSON.parse(await readFile(join(folder, name), 'utf8'));
    entry.owner.startMark = '1';
    await writeFile(join(folder, name), JSON.stringify(entry));
  }
  await work(createSshBackend(options));
}

function startOwner(options: SshBackendOptions): ChildProcess {
  const program = join(import.meta.dirname, 'fixtures/ssh-owner.ts');
  return spawn(process.execPath, ['--conditions=@talaria/source', program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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

interface TestNetwork extends AsyncDisposable {
  /** Address of the side in which the server runs. */
  readonly inside: string;
  /** Words that run a program in it. */
  readonly prefix: readonly string[];
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** A network with one machine in it. @throws Error where none can be made */
async function openNetwork(): Promise<TestNetwork> {
  const name = `talaria${process.pid % 10_000}`;
  const ip = (...words: string[]) => run('ip', words);
  const outer = `${name}o`;
  await ip('netns', 'add', name);
  try {
    await ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', `${name}i`, 'netns', name);
    await ip('addr', 'add', '10.213.77.1/24', 'dev', outer);
    await ip('link', 'set', outer, 'up');
    await ip('-n', name, 'addr', 'add', '10.213.77.2/24', 'dev', `${name}i`);
    await ip('-n', name, 'link', 'set', `${name}i`, 'up');
    await ip('-n', name, 'link', 'set', 'lo', 'up');
  } catch (error) {
    await ip('netns', 'del', name);
    throw error;
  }
  return {
    inside: '10.213.77.2',
    prefix: ['ip', 'netns', 'exec', name],
    cut: async () => void (await ip('-n', name, 'link', 'set', `${name}i`, 'down')),
    mend: async () => void (await ip('-n', name, 'link', 'set', `${name}i`, 'up')),
    async [Symbol.asyncDispose]() {
      await ip('netns', 'del', name);
    },
  };
}
