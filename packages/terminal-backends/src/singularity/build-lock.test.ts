import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '@talaria/core';
import { describeOwner } from '../ledger/sandbox-owner.ts';
import { holdBuildLock } from './build-lock.ts';

const tools = { clock: systemClock, timeoutMs: 1_000 };
const signal = new AbortController().signal;
let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-lock-'));
  path = join(folder, 'lock');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('holdBuildLock', () => {
  test('lets one in at a time', async () => {
    let inside = 0;
    async function enter(): Promise<void> {
      await using _lock = await holdBuildLock(path, tools, signal);
      inside += 1;
      await systemClock.sleep(5);
      expect(inside).toBe(1);
      inside -= 1;
    }
    await Promise.all([enter(), enter(), enter()]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('takes over from a process that has died', async () => {
    const ended = spawn('sleep', ['600']);
    const owner = await describeOwner(ended.pid ?? 0);
    ended.kill('SIGKILL');
    await once(ended, 'exit');
    await writeFile(path, JSON.stringify(owner));
    await using _lock = await holdBuildLock(path, tools, signal);
  });

  test.each([
    ['of another machine', async () => JSON.stringify({ ...(await describeOwner(process.pid)), host: 'another' })],
    ['that is torn', async () => '{"host":'],
  ])('takes over one %s only when it is old', async (_what, write) => {
    await writeFile(path, await write());
    const stop = new AbortController();
    const waiting = holdBuildLock(path, tools, stop.signal);
    stop.abort('waits');
    await expect(waiting).rejects.toBe('waits');
    await utimes(path, 1, 1);
    await using _lock = await holdBuildLock(path, tools, signal);
  });

  test.each([
    ['that is torn', '{"host":', 20_000],
    ['of a later version', '{"machine":{"host":"here"}}', 70_000],
  ])('takes over one %s once it is old enough', async (_what, text, enoughMs) => {
    await writeFile(path, text);
    const [young, old] = [enoughMs - 15_000, enoughMs].map((ageMs) => (Date.now() - ageMs) / 1_000);
    await utimes(path, young ?? 0, young ?? 0);
    const stop = new AbortController();
    const waiting = holdBuildLock(path, tools, stop.signal);
    setTimeout(() => stop.abort('waits'), 50);
    await expect(waiting).rejects.toBe('waits');
    await utimes(path, old ?? 0, old ?? 0);
    await using _lock = await holdBuildLock(path, tools, signal);
  });

  test('gives up when it is told to', async () => {
    await using _lock = await holdBuildLock(path, tools, signal);
    await expect(holdBuildLock(path, tools, AbortSignal.abort('stop'))).rejects.toBe('stop');
  });
});
