import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createMemoryLogger } from '@talaria/core/testing';
import type { Sandbox, TerminalBackend } from '../src/index.ts';
import { findMarked } from '../src/local/end-processes.ts';
import { isOrHolds } from '../src/local/file-access.ts';
import { createLocalBackend, type LocalBackendOptions } from '../src/local/index.ts';
import { createProcessTable } from '../src/local/process-table.ts';

/** Runs a program, with the path as last word, in a space of its own where `path` is a file system of 512 KiB. */
function onSmallDisk(path: string, words: readonly string[]): SpawnSyncReturns<string> {
  const mountAndRun = 'mount -t tmpfs -o size=512k tmpfs "$0" && exec "$@" "$0"';
  return spawnSync('unshare', ['-rm', 'bash', '-c', mountAndRun, path, ...words], { encoding: 'utf8' });
}

/** A full disk needs the right to mount; where that is missing the test is skipped, but never where CI asks for it. */
const mayMount = process.env['TALARIA_REQUIRE_SERVICES'] === '1' || onSmallDisk(tmpdir(), ['true']).status === 0;
const testWithDisk = mayMount ? test : test.skip;

let stateFolder: string;

beforeEach(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'talaria-backend-'));
});

afterEach(async () => {
  const left = await readdir(join(stateFolder, 'sandboxes')).catch(() => []);
  const entries = await createProcessTable(process.platform).look();
  await rm(stateFolder, { recursive: true });
  expect(left).toEqual([]);
  expect(findMarked(entries, { folders: [stateFolder] })).toEqual([]);
});

function createBackend(options: Partial<LocalBackendOptions> = {}): TerminalBackend {
  return createLocalBackend({ stateFolder, environment: process.env, killGraceMs: 100, ...options });
}

function open(options: Partial<LocalBackendOptions> = {}): Promise<Sandbox> {
  return createBackend(options).open({ taskId: 'test' });
}

describe('the environment of a local sandbox', () => {
  const environment = { PATH: process.env['PATH'], OPENAI_API_KEY: 'sk-1', LC_TIME: 'C', OTHER: 'o', MY_TOKEN: 't' };

  test('holds what the allow list names and nothing else', async () => {
    await using sandbox = await open({ environment, env: { EXTRA: 'e' } });
    const { output } = await sandbox.run('env');
    const names = output.split('\n').flatMap((line) => line.split('=')[0] || []);
    expect(names.sort()).toEqual(
      (
        'COLUMNS DEBIAN_FRONTEND EXTRA GIT_PAGER GIT_TERMINAL_PROMPT HOME LANG LC_TIME LOGNAME NO_COLOR OLDPWD PAGER PATH ' +
        'PWD PYTHONUNBUFFERED SHELL SHLVL TALARIA_EXEC_ID TALARIA_SANDBOX_ID TERM TMPDIR USER _'
      ).split(' '),
    );
  });

  test('gets passed-on names, a secret one only when that is said twice', async () => {
    await using sandbox = await open({
      environment,
      passthrough: ['OTHER', 'MY_TOKEN', 'ABSENT'],
      allowSecretEnv: ['MY_TOKEN'],
    });
    expect((await sandbox.run('echo $OTHER $MY_TOKEN')).output).toBe('o t\n');
    expect(() => createBackend({ environment, passthrough: ['MY_TOKEN'] })).toThrow(/MY_TOKEN/);
    const url = { PATH: '/bin', DATABASE_URL: 'postgres://me:secret@host/db' };
    expect(() => createBackend({ environment: url, passthrough: ['DATABASE_URL'] })).toThrow(
      expect.objectContaining({ code: 'config.secret-variable', message: expect.not.stringContaining('secret@') }),
    );
  });

  test('reads no start-up file of bash', async () => {
    await using sandbox = await open();
    for (const name of ['.bashrc', '.profile', '.bash_profile', '.bash_logout'])
      await sandbox.writeFile(`~/${name}`, 'echo read');
    expect((await sandbox.run('echo only', { stdin: 'x' })).output).toBe('only\n');
  });

  test('keeps values out of command lines', async () => {
    await using sandbox = await open();
    const { output } = await sandbox.run(`tr '\\0' '\\n' < /proc/$$/cmdline | grep -c 'hidden-valu[e]'`, {
      env: { V: 'hidden-value' },
    });
    expect(output).toBe('0\n');
  });
});

describe('a local sandbox', () => {
  test('ends what shed its marks, and removes folders without rights', async () => {
    const sandbox = await open();
    await sandbox.run(
      'env -i setsid bash -c "echo \\$\\$ > pid; exec sleep 600" >/dev/null 2>&1 & until [ -s pid ]; do sleep 0.02; done',
    );
    await sandbox.run('mkdir -p a/b && touch a/b/c && chmod 000 a/b && chmod 500 a');
    const pid = Number(Buffer.from((await sandbox.readFile('~/pid')).bytes).toString());
    await sandbox[Symbol.asyncDispose]();
    expect((await createProcessTable(process.platform).look()).some((entry) => entry.pid === pid)).toBe(false);
  });

  test('ends what shed its marks, its session, its folder and its streams', async () => {
    const sandbox = await open();
    const { output } = await sandbox.run(
      'env -i setsid bash -c "cd /; exec >/dev/null 2>&1 </dev/null; echo \\$\\$ > $HOME/pid; exec sleep 600" & until [ -s pid ]; do sleep 0.02; done; ulimit -R; cat pid',
    );
    const [limit, pid] = output.split('\n');
    await sandbox[Symbol.asyncDispose]();
    // Where the system allows no such limit, there is nothing to find it by.
    const canBeFound = limit !== 'unlimited';
    expect((await createProcessTable(process.platform).look()).some((entry) => entry.pid === Number(pid))).toBe(
      !canBeFound,
    );
    if (!canBeFound) process.kill(Number(pid), 'SIGKILL');
  });

  test('survives a stream that nobody reads when it is closed', async () => {
    const sandbox = await open();
    await sandbox.writeFile('~/file', 'x');
    const stream = await sandbox.openRead('~/file');
    await sandbox[Symbol.asyncDispose]();
    await expect(stream.toArray()).rejects.toMatchObject({ code: 'sandbox.closed' });
  });

  test('survives a command that kills everything it can see of itself', async () => {
    await using sandbox = await open();
    expect(await sandbox.run('kill -9 -$$')).toMatchObject({ kind: 'exited', exitCode: 137 });
    expect((await sandbox.run('rm -rf ~ ; echo gone')).output).toBe('gone\n');
    expect((await sandbox.run('echo on')).output).toContain('on\n');
  });

  test('takes no harm from a listener that throws', async () => {
    const logger = createMemoryLogger();
    await using sandbox = await open({ logger });
    const onOutput = () => {
      throw new Error('broken');
    };
    expect((await sandbox.run('echo x', { onOutput })).output).toBe('x\n');
    expect(logger.entries).toContainEqual(expect.objectContaining({ event: 'sandbox.listener-failed' }));
  });

  test('keeps few descriptors and little memory, whatever runs', async () => {
    await using sandbox = await open();
    await sandbox.run('true', { stdin: 'x', mergeStderr: false });
    const count = () => readdirSync('/proc/self/fd').length;
    const before = count();
    for (let round = 0; round < 30; round += 1)
      await sandbox.run('echo a; echo b >&2', { stdin: 'x', mergeStderr: false });
    await Promise.all(Array.from({ length: 5 }, () => sandbox.run('sleep 600 & echo', { isStateless: true })));
    await sandbox.killAll();
    await sandbox.run('true');
    expect(count()).toBeLessThanOrEqual(before + 3);
    const memoryBefore = process.memoryUsage().rss;
    const result = await sandbox.run('head -c 400000000 /dev/zero', { maxOutputBytes: 1_000_000 });
    expect(result.truncatedBytes).toBe(399_000_000);
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(200_000_000);
  });

  test('says that it is lost when its folder was removed', async () => {
    await using sandbox = await open();
    await sandbox.run('true');
    await rm(join(stateFolder, 'sandboxes', sandbox.id), { recursive: true });
    expect(await sandbox.ping()).toBe(false);
    await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'sandbox.lost' });
    await expect(sandbox.readFile('~/x')).rejects.toMatchObject({ code: 'sandbox.lost' });
    await expect(sandbox.writeFile('~/x', 'x')).rejects.toMatchObject({ code: 'sandbox.lost' });
    expect(await readdir(join(stateFolder, 'sandboxes'))).toEqual([`${sandbox.id}.json`]);
  });

  test('starts a process with a script of 300 KB, and leaves no copy of it', async () => {
    await using sandbox = await open();
    const started = await sandbox.spawn(`printf '%s' '${'x'.repeat(300_000)}' | wc -c`);
    await started.wait();
    expect(Buffer.from((await started.readOutput(0)).bytes).toString()).toBe('300000\n');
    const left = await sandbox.list('~/../state');
    expect(left.filter(({ name }) => name.startsWith('command-'))).toEqual([]);
  });

  testWithDisk('says that the disk is full, and stays usable', () => {
    const fixture = join(import.meta.dirname, 'fixtures/full-disk.ts');
    const child = onSmallDisk(stateFolder, [process.execPath, '--conditions=@talaria/source', fixture]);
    expect([child.stderr, child.status]).toEqual(['', 0]);
    expect(JSON.parse(child.stdout)).toEqual({
      write: 'sandbox.no-space',
      upload: 'sandbox.no-space',
      input: 'sandbox.no-space',
      openAnother: 'sandbox.no-space',
      left: [],
      output: 'still here\n',
    });
  });

  test('says that there are no descriptors left, keeps none, and stays usable', () => {
    const fixture = join(import.meta.dirname, 'fixtures/few-descriptors.ts');
    const words = ['ulimit -n 64; exec "$@"', 'bash', process.execPath, '--conditions=@talaria/source', fixture];
    const child = spawnSync('bash', ['-c', ...words, stateFolder], { encoding: 'utf8' });
    expect([child.stderr, child.status]).toEqual(['', 0]);
    expect(JSON.parse(child.stdout)).toEqual({
      codes: ['sandbox.failed'],
      hints: [expect.stringContaining('ulimit -n')],
      kept: 0,
      output: 'on\n',
    });
  });

  test('refuses to remove or move what holds it', async () => {
    await using sandbox = await open();
    // Only folders that the test owns: were the guard broken, the rest of the machine must not pay for it.
    for (const path of [
      stateFolder,
      sandbox.home.replace(/\/home$/, ''),
      '~/..',
      '~/../../../sandboxes',
      '~/../tmp/..',
    ]) {
      await expect(sandbox.remove(path)).rejects.toMatchObject({ code: 'sandbox.unsafe-path' });
      await expect(sandbox.move(path, join(stateFolder, 'elsewhere'))).rejects.toMatchObject({
        code: 'sandbox.unsafe-path',
      });
    }
  });

  test.each([
    ['/', '/a/b', true],
    ['/a', '/a/b', true],
    ['/a/b', '/a/b', true],
    ['/a/b/c', '/a/b', false],
    ['/a/bc', '/a/b', false],
    ['/a/b', '/a/bc', false],
  ])('knows whether %s holds %s', (path, other, holds) => {
    expect(isOrHolds(path, other)).toBe(holds);
  });

  test.each([
    { timeoutMs: Number.NaN },
    { timeoutMs: -1 },
    { maxOutputBytes: Number.NaN },
    { maxOutputBytes: -1 },
    { maxOutputBytes: 1.5 },
  ])('refuses the limit %j, which would limit nothing or everything', async (options) => {
    await using sandbox = await open();
    await expect(sandbox.run('true', options)).rejects.toMatchObject({ code: 'config.invalid' });
  });

  test('takes Infinity for no limit', async () => {
    await using sandbox = await open();
    const limits = { timeoutMs: Number.POSITIVE_INFINITY, maxOutputBytes: Number.POSITIVE_INFINITY };
    expect(await sandbox.run('seq 3', limits)).toMatchObject({ output: '1\n2\n3\n', truncatedBytes: 0 });
  });

  test('keeps holes of a large file as holes', async () => {
    await using sandbox = await open();
    await sandbox.run('truncate -s 400M image; printf end >> image; printf x | dd of=image conv=notrunc 2>/dev/null');
    await sandbox.upload(`${sandbox.home}/image`, '~/copy');
    expect((await sandbox.run('cmp image copy && [ $(du -k copy | cut -f1) -lt 20000 ] && echo same')).output).toBe(
      'same\n',
    );
  });

  test('does not replace a device by a file', async () => {
    await using sandbox = await open();
    await expect(sandbox.writeFile('/dev/null', 'x')).rejects.toMatchObject({ code: 'sandbox.failed' });
  });

  test('reads a file of /proc, which claims to be empty', async () => {
    await using sandbox = await open();
    const { bytes } = await sandbox.readFile('/proc/self/status');
    expect(Buffer.from(bytes).toString()).toContain('Pid:');
    await sandbox.upload('/proc/self/status', '~/status');
    expect((await sandbox.stat('~/status'))?.sizeBytes).toBeGreaterThan(100);
  });

  test('says why a program cannot be started', async () => {
    await using sandbox = await open();
    await sandbox.writeFile('~/plain', 'x');
    expect(await sandbox.runProgram(['./plain'])).toMatchObject({ exitCode: 126 });
    expect(await sandbox.runProgram(['true'], { cwd: '/no/such' })).toMatchObject({ exitCode: 126 });
    // A folder of the search path that may not be entered must not look like a program that may not be run.
    await sandbox.run('mkdir closed && chmod 000 closed');
    const env = { PATH: `${sandbox.home}/closed:/usr/bin:/bin` };
    expect(await sandbox.runProgram(['no-such-program'], { env })).toMatchObject({ exitCode: 127 });
    await expect(sandbox.runProgram([])).rejects.toMatchObject({ code: 'sandbox.invalid-command' });
    await expect(sandbox.runProgram(['echo', 'x'.repeat(3_000_000)])).rejects.toMatchObject({
      code: 'sandbox.command-too-long',
    });
    await expect(sandbox.run('true', { env: { 'A-B': '1' } })).rejects.toMatchObject({
      code: 'config.invalid-variable',
    });
  });
});

describe('opening', () => {
  test('leaves nothing behind, at whatever moment it is aborted', async () => {
    const backend = createBackend();
    for (let turns = 0; turns < 30; turns += 1) {
      const controller = new AbortController();
      const reason = new Error('stop');
      const opening = backend.open({ taskId: 'aborted' }, { signal: controller.signal });
      const outcome = opening.then(
        (sandbox) => sandbox,
        (error: unknown) => error,
      );
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      controller.abort(reason);
      const result = await outcome;
      if (result !== reason) await (result as Sandbox)[Symbol.asyncDispose]();
      expect(await readdir(join(stateFolder, 'sandboxes')).catch(() => [])).toEqual([]);
    }
  });

  test('starts in a folder below its home, or in one that exists', async () => {
    const backend = createBackend();
    await using below = await backend.open({ taskId: 'a', cwd: '~/place/here' });
    expect((await below.run('pwd')).output).toBe(`${below.home}/place/here\n`);
    await using elsewhere = await backend.open({ taskId: 'b', cwd: '/usr' });
    expect(elsewhere.cwd).toBe('/usr');
    await expect(backend.open({ taskId: 'c', cwd: '/app/of/image' })).rejects.toMatchObject({
      code: 'sandbox.not-found',
      phase: 'create',
    });
  });

  test('refuses what it cannot do, and says what to do', async () => {
    expect(() => createBackend({ stateFolder: 'relative' })).toThrow(
      expect.objectContaining({ code: 'config.invalid' }),
    );
    await expect(createBackend().open({ taskId: 'a', allowNetwork: false })).rejects.toMatchObject({
      code: 'config.unsupported',
    });
    await expect(createBackend({ environment: { PATH: '/nowhere' } }).preflight()).rejects.toMatchObject({
      code: 'config.missing-program',
      hint: expect.stringContaining('apt-get install'),
    });
  });

  test('says what is wrong with its state folder', async () => {
    await writeFile(join(stateFolder, 'file'), '');
    await expect(
      createBackend({ stateFolder: join(stateFolder, 'file/below') }).open({ taskId: 'a' }),
    ).rejects.toMatchObject({
      code: 'sandbox.failed',
      phase: 'create',
      hint: expect.any(String),
    });
    const closed = join(stateFolder, 'closed');
    await createBackend({ stateFolder: closed }).preflight();
    await chmod(join(closed, 'sandboxes'), 0o500);
    if (process.getuid?.() !== 0) {
      await expect(createBackend({ stateFolder: closed }).open({ taskId: 'a' })).rejects.toMatchObject({
        code: 'sandbox.permission',
      });
    }
    await rm(closed, { recursive: true });
  });

  test('proves by preflight that sandboxes can be opened', async () => {
    await createBackend().preflight();
  });
});
