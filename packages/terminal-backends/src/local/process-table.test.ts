import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { findMarked } from './end-processes.ts';
import { createProcessTable, lookWithPs, type ProcessEntry } from './process-table.ts';

function entry(pid: number, parentPid: number, more: Partial<ProcessEntry> = {}): ProcessEntry {
  return {
    pid,
    parentPid,
    groupId: pid,
    startMark: '1',
    hasTerminal: false,
    execId: null,
    sandboxId: null,
    cwd: null,
    limitMark: null,
    ...more,
  };
}

describe('the process table', () => {
  test.each([
    ['/proc', () => createProcessTable('linux').look()],
    ['ps', () => lookWithPs(['axeww'])],
  ])('finds a process by its mark, from %s', async (_source, look) => {
    const env = { PATH: '/usr/bin:/bin', NOT_TALARIA_EXEC_ID: 'x', TALARIA_EXEC_ID: 'a1', TALARIA_SANDBOX_ID: 'box-1' };
    const child = spawn('sleep', ['600'], { env, detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    const found = (await look()).find(({ pid }) => pid === child.pid);
    expect(found).toMatchObject({ parentPid: process.pid, groupId: child.pid, execId: 'a1', sandboxId: 'box-1' });
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect((await look()).some(({ pid }) => pid === child.pid)).toBe(false);
  });
});

describe('findMarked', () => {
  test('takes what bears the mark and all that descends from it, and nothing else', () => {
    const entries = [
      entry(10, 1, { execId: 'e', sandboxId: 's' }),
      entry(11, 10),
      entry(12, 11),
      entry(20, 1, { execId: 'f', sandboxId: 's' }),
      entry(30, 1),
    ];
    const numbers = (mark: Parameters<typeof findMarked>[1]) =>
      findMarked(entries, mark)
        .map(({ pid }) => pid)
        .sort();
    expect(numbers({ execId: 'e' })).toEqual([10, 11, 12]);
    expect(numbers({ sandboxIds: ['s'] })).toEqual([10, 11, 12, 20]);
    expect(numbers({ execId: 'none' })).toEqual([]);
    expect(numbers({ leaderPid: 20 })).toEqual([20]);
  });

  test('takes what works in the folder only if it has neither a mark nor a terminal', () => {
    const entries = [
      entry(1, 0, { cwd: '/box/home' }),
      entry(2, 0, { cwd: '/box-other' }),
      entry(3, 0, { cwd: '/box/home', hasTerminal: true }),
      entry(4, 0, { cwd: '/box/home', sandboxId: 'another' }),
    ];
    expect(findMarked(entries, { folders: ['/box'] }).map(({ pid }) => pid)).toEqual([1]);
  });

  test('never takes this process itself', () => {
    expect(findMarked([entry(process.pid, 1, { execId: 'e' })], { execId: 'e' })).toEqual([]);
  });
});
