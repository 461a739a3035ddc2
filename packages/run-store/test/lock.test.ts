import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isTalariaError, type TalariaError } from '@talaria/core';
import { createMemoryLogger } from '@talaria/core/testing';
import { type ChildProgram, startProgram } from './child-program.ts';
import { openSampleRun } from './sample-run.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

async function errorOf(promise: Promise<unknown>): Promise<TalariaError> {
  try {
    await promise;
  } catch (error) {
    if (isTalariaError(error)) return error;
    throw error;
  }
  throw new Error('It did not fail');
}

let staleLock: Promise<string> | undefined;

/** Makes a run whose lock is that of a process that was killed while it owned the folder. */
async function leaveStaleLock(path: string): Promise<void> {
  await (await openSampleRun(path, 'create'))[Symbol.asyncDispose]();
  staleLock ??= killLockOwner();
  await writeFile(join(path, 'lock'), await staleLock);
}

async function killLockOwner(): Promise<string> {
  await using temporary = await openTemporaryFolder();
  const program = startProgram('contend-for-lock.ts', []);
  expect(await program.nextLine()).toBe('ready');
  program.send(temporary.path);
  expect(await program.nextLine()).toBe('got');
  await program.kill();
  return await readFile(join(temporary.path, 'lock'), 'utf8');
}

interface LockRecord {
  pid: number;
  host: string;
  boot_id: string;
  machine_id: string;
  start_ticks: string;
  pid_namespace: string;
}

async function changeLock(path: string, change: (lock: LockRecord) => Partial<LockRecord>): Promise<void> {
  const lockPath = join(path, 'lock');
  const lock = JSON.parse(await readFile(lockPath, 'utf8')) as LockRecord;
  await writeFile(lockPath, JSON.stringify({ ...lock, ...change(lock) }));
}

describe('the lock of a run folder', () => {
  test('that is no file is told by its path', async () => {
    await using temporary = await openTemporaryFolder();
    await mkdir(join(temporary.path, 'run', 'lock'), { recursive: true });
    const error = await errorOf(openSampleRun(join(temporary.path, 'run'), 'create'));
    expect(error).toMatchObject({ code: 'state.not-readable', message: expect.stringContaining('run/lock') });
  });

  test('keeps a second owner out, and the error names process, machine, folder and what to do', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'run');
    await using _folder = await openSampleRun(path, 'create');
    const error = await errorOf(openSampleRun(path, 'resume'));
    expect(error.code).toBe('state.locked');
    const { host } = JSON.parse(await readFile(join(path, 'lock'), 'utf8')) as LockRecord;
    for (const word of [String(process.pid), host, path]) expect(error.message).toContain(word);
    expect(error.hint).toMatch(/Wait until it ends or stop it/);
  });

  test('is gone after the owner has let go, and its file too', async () => {
    await using temporary = await openTemporaryFolder();
    for (const mode of ['create', 'resume', 'create-or-resume'] as const) {
      await using _folder = await openSampleRun(temporary.path, mode);
    }
    expect((await readdir(temporary.path)).sort()).toEqual(['journal', 'manifest.json']);
  });

  test('of a killed process is taken over', async () => {
    await using temporary = await openTemporaryFolder();
    await leaveStaleLock(temporary.path);
    const logger = createMemoryLogger();
    await using folder = await openSampleRun(temporary.path, 'resume', { logger });
    expect(folder.isResumed).toBe(true);
    expect(logger.entries.map(({ event }) => event)).toContain('lock.stale');
  });

  test('of a process whose number was given to another is taken over', async () => {
    await using temporary = await openTemporaryFolder();
    await leaveStaleLock(temporary.path);
    await changeLock(temporary.path, () => ({ pid: process.pid }));
    await using folder = await openSampleRun(temporary.path, 'resume');
    expect(folder.isResumed).toBe(true);
  });

  test('that spells as null what the system did not tell is respected', async () => {
    await using temporary = await openTemporaryFolder();
    await leaveStaleLock(temporary.path);
    const lock = JSON.parse(await readFile(join(temporary.path, 'lock'), 'utf8'));
    const spelled = { ...lock, boot_id: null, machine_id: undefined, pid_namespace: null };
    await writeFile(join(temporary.path, 'lock'), JSON.stringify(spelled));
    expect(await errorOf(openSampleRun(temporary.path, 'resume'))).toMatchObject({ code: 'state.locked' });
  });

  test('of a later version is left alone', async () => {
    await using temporary = await openTemporaryFolder();
    await leaveStaleLock(temporary.path);
    await writeFile(join(temporary.path, 'lock'), '{"version": 2, "owner": "somebody"}');
    const error = await errorOf(openSampleRun(temporary.path, 'resume'));
    expect(error).toMatchObject({ code: 'state.unknown-version', hint: expect.stringContaining('delete the lock') });
  });

  test('that a loss of power left empty is taken over', async () => {
    await using temporary = await openTemporaryFolder();
    await leaveStaleLock(temporary.path);
    await writeFile(join(temporary.path, 'lock'), '');
    await using folder = await openSampleRun(temporary.path, 'resume');
    expect(folder.isResumed).toBe(true);
  });

  test.each([
    ['another machine', { host: 'elsewhere' }],
    ['another machine of the same name', { boot_id: 'another', machine_id: 'another' }],
    ['a machine that cannot be told from others of its name', { boot_id: 'another', machine_id: '' }],
    ['another container', { pid_namespace: 'pid:[1]' }],
  ])('of %s is respected, since that cannot be seen from here', async (_name, change) => {
    await using temporary = await openTemporaryFolder();
    await leaveStaleLock(temporary.path);
    await changeLock(temporary.path, () => change);
    const error = await errorOf(openSampleRun(temporary.path, 'resume'));
    expect(error.code).toBe('state.locked');
    expect(error.hint).toContain(`delete ${join(temporary.path, 'lock')}`);
  });

  test('a claim that a killed process left while taking over does not stand in the way', async () => {
    await using temporary = await openTemporaryFolder();
    await leaveStaleLock(temporary.path);
    await copyFile(join(temporary.path, 'lock'), join(temporary.path, 'lock.claim.lock_dead'));
    await using _folder = await openSampleRun(temporary.path, 'resume');
    expect((await readdir(temporary.path)).filter((name) => name.startsWith('lock.'))).toEqual([]);
  });

  test('does not take away the lock of another run that began after ours was deleted by hand', async () => {
    await using temporary = await openTemporaryFolder();
    const first = await openSampleRun(temporary.path, 'create');
    await rm(join(temporary.path, 'lock'));
    await using _second = await openSampleRun(temporary.path, 'resume');
    await first[Symbol.asyncDispose]();
    expect(await readdir(temporary.path)).toContain('lock');
  });

  test('of many processes that find a stale one at once, exactly one gets it', async () => {
    await using temporary = await openTemporaryFolder();
    const staleFolder = join(temporary.path, 'stale');
    await leaveStaleLock(staleFolder);
    const programs: ChildProgram[] = [];
    await using stack = { [Symbol.asyncDispose]: async () => void (await Promise.all(programs.map((p) => p.kill()))) };
    for (let index = 0; index < 4; index += 1) programs.push(startProgram('contend-for-lock.ts', []));
    await Promise.all(programs.map((program) => program.nextLine()));
    expect(stack).toBeDefined();
    for (let round = 0; round < 25; round += 1) {
      const path = join(temporary.path, `run-${round}`);
      await mkdir(path);
      await copyFile(join(staleFolder, 'lock'), join(path, 'lock'));
      for (const program of programs) program.send(path);
      const answers = await Promise.all(programs.map((program) => program.nextLine()));
      expect(answers.sort()).toEqual(['got', 'state.locked', 'state.locked', 'state.locked']);
      for (const program of programs) program.send('release');
      await Promise.all(programs.map((program) => program.nextLine()));
    }
  }, 60_000);
});
