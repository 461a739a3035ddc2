import { spawnSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isTalariaError, type RunEvent } from '@talaria/core';
import { createMemoryLogger } from '@talaria/core/testing';
import { openLineWriter, writeAtomic } from '../src/index.ts';
import { startProgram } from './child-program.ts';
import { numberedRollout, openSampleRun, storedIds } from './sample-run.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

interface SmallDisk extends AsyncDisposable {
  readonly path: string;
}

/** A file system of one megabyte; `undefined` where this user may not mount one. */
async function openSmallDisk(): Promise<SmallDisk | undefined> {
  const temporary = await openTemporaryFolder();
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', temporary.path]);
  if (mount.status !== 0) {
    await temporary[Symbol.asyncDispose]();
    return undefined;
  }
  return {
    path: temporary.path,
    async [Symbol.asyncDispose]() {
      spawnSync('umount', ['--lazy', temporary.path]);
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/** A real full disk needs the right to mount; without it the test is skipped, but never where CI asks for it. */
async function canMount(): Promise<boolean> {
  const disk = await openSmallDisk();
  await disk?.[Symbol.asyncDispose]();
  return disk !== undefined || process.env['TALARIA_REQUIRE_SERVICES'] === '1';
}

const testOnDisk = (await canMount()) ? test : test.skip;

async function requireSmallDisk(): Promise<SmallDisk> {
  const disk = await openSmallDisk();
  if (disk === undefined) throw new Error('Cannot mount a tmpfs: run as root, or unset TALARIA_REQUIRE_SERVICES');
  return disk;
}

const large = { info: { padding: 'x'.repeat(50_000) } };

const event: RunEvent = {
  version: 1,
  runId: 'run',
  rolloutId: 'r',
  sequence: 0,
  at: 0,
  type: 'text-delta',
  turn: 1,
  text: 'x'.repeat(60_000),
};

describe('a full disk (skipped where no tmpfs can be mounted)', () => {
  testOnDisk('fails every append that waits, keeps what was reported, and goes on once there is space', async () => {
    await using disk = await requireSmallDisk();
    const filler = join(disk.path, 'filler');
    await writeFile(filler, Buffer.alloc(500_000));
    const path = join(disk.path, 'run');
    const reported: string[] = [];
    const codes = new Set<string>();
    {
      await using folder = await openSampleRun(path, 'create');
      const append = async (number: number): Promise<void> => {
        try {
          await folder.appendRollout(numberedRollout(number, large));
          reported.push(`rollout_${number}`);
        } catch (error) {
          if (!isTalariaError(error)) throw error;
          codes.add(error.code);
          expect(error.message).toContain(join(path, 'journal', 'main.jsonl'));
          expect(error.hint).toContain('Free some space');
        }
      };
      for (let number = 0; number < 6; number += 1) await append(number);
      await Promise.all(Array.from({ length: 30 }, (_, index) => append(100 + index)));
      expect([...codes]).toEqual(['state.no-space']);
      expect(folder.rolloutCount).toBe(reported.length);
      await rm(filler);
      await append(100);
      expect(reported.at(-1)).toBe('rollout_100');
      expect(await storedIds(folder)).toEqual(reported);
    }
    await using resumed = await openSampleRun(path, 'resume');
    expect(await storedIds(resumed)).toEqual(reported);
    expect(resumed.resumeReport).toMatchObject({ damagedCount: 0, duplicateCount: 0, tornBytes: 0 });
  });

  testOnDisk('at the start is an error that says so, and leaves a folder that can be opened later', async () => {
    await using disk = await requireSmallDisk();
    const filler = join(disk.path, 'filler');
    await writeFile(filler, Buffer.alloc(1024 * 1024)).catch(() => undefined);
    const path = join(disk.path, 'run');
    await expect(openSampleRun(path, 'create')).rejects.toMatchObject({ code: 'state.no-space' });
    await rm(filler);
    await using folder = await openSampleRun(path, 'create');
    expect(folder.isResumed).toBe(false);
  });

  testOnDisk('drops events, says how many, and does not fail the run', async () => {
    await using disk = await requireSmallDisk();
    const logger = createMemoryLogger();
    {
      await using folder = await openSampleRun(join(disk.path, 'run'), 'create', { logger });
      for (let sequence = 0; sequence < 60; sequence += 1) folder.recordEvent({ ...event, sequence });
    }
    expect(
      logger.entries.filter(({ event: name }) => name.startsWith('events.')).map(({ event: name }) => name),
    ).toEqual(['events.not-written', 'events.dropped']);
  });

  testOnDisk('a line writer leaves no half line', async () => {
    await using disk = await requireSmallDisk();
    const path = join(disk.path, 'rows.jsonl');
    await using writer = await openLineWriter(path, { syncEvery: 4 });
    const append = () => writer.append({ padding: 'x'.repeat(100_000) });
    await expect(Promise.all(Array.from({ length: 20 }, append))).rejects.toMatchObject({ code: 'state.no-space' });
    await writer.append({ last: true });
    await writer.flush();
    await using again = await openLineWriter(path, { resume: true });
    expect(again.path).toBe(path);
  });

  testOnDisk('an atomic write keeps the old file and leaves no temporary one', async () => {
    await using disk = await requireSmallDisk();
    const path = join(disk.path, 'page.html');
    await writeAtomic(path, 'old');
    await expect(writeAtomic(path, 'x'.repeat(2_000_000))).rejects.toMatchObject({ code: 'state.no-space' });
    expect(await readdir(disk.path)).toEqual(['page.html']);
  });
});

describe('a limit on the size of files', () => {
  test('is told as such; a record that still fits is stored behind the ones before', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'run');
    await using program = startProgram('append-over-limit.ts', [path], { shellPrefix: 'ulimit -f 100' });
    const answer = JSON.parse((await program.nextLine()) ?? 'null') as Record<string, unknown>;
    expect(answer).toMatchObject({ code: 'state.no-space' });
    expect(answer['message']).toContain('EFBIG');
    expect(answer['hint']).toContain('ulimit -f');
    expect(await program.nextLine()).toBe('stored a small one');
    await program.nextLine();
    await using folder = await openSampleRun(path, 'resume');
    expect(folder.rolloutCount).toBe(Number(answer['stored']) + 1);
    expect(folder.resumeReport.damagedCount).toBe(0);
  });
});
