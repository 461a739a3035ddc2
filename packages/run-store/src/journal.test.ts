import { appendFile, constants, mkdir, readdir, readFile, readlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createMemoryLogger } from '@talaria/core/testing';
import { encodeRollout, type Rollout } from '@talaria/trajectories';
import fc from 'fast-check';
import { numberedRollout, openSampleRun, storedIds } from '../test/sample-run.ts';
import { openTemporaryFolder } from '../test/temporary-folder.ts';

function lineOf(rollout: Rollout): string {
  return `${JSON.stringify(encodeRollout(rollout))}\n`;
}

/** Makes a run with the given journal files. */
async function writeRun(path: string, journals: Readonly<Record<string, string>>): Promise<void> {
  await (await openSampleRun(path, 'create'))[Symbol.asyncDispose]();
  await mkdir(join(path, 'journal'), { recursive: true });
  for (const [name, text] of Object.entries(journals)) await writeFile(join(path, 'journal', name), text);
}

async function resumeAndList(path: string): Promise<string[]> {
  await using folder = await openSampleRun(path, 'resume');
  return await storedIds(folder);
}

describe('a journal', () => {
  test('cut at any byte loses nothing that was whole, and takes the next record', async () => {
    await using temporary = await openTemporaryFolder();
    const rollouts = [1, 2, 3].map((number) => numberedRollout(number, { info: { text: 'ä€😀"\n\\' } }));
    const whole = Buffer.from(rollouts.map(lineOf).join(''));
    const ends = rollouts.map((_, index) =>
      Buffer.byteLength(
        rollouts
          .slice(0, index + 1)
          .map(lineOf)
          .join(''),
      ),
    );
    await writeRun(temporary.path, {});
    const journalPath = join(temporary.path, 'journal', 'main.jsonl');
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.nat(whole.length), fc.constantFrom(...ends, ...ends.map((end) => end - 1))),
        async (size) => {
          await writeFile(journalPath, whole);
          await truncate(journalPath, size);
          // A record that lacks only its newline is whole.
          const kept = ends.filter((end) => end - 1 <= size).length;
          await using folder = await openSampleRun(temporary.path, 'resume');
          expect(folder.rolloutCount).toBe(kept);
          await folder.appendRollout(numberedRollout(9));
          await folder[Symbol.asyncDispose]();
          const expected = [...['rollout_1', 'rollout_2', 'rollout_3'].slice(0, kept), 'rollout_9'];
          expect(await resumeAndList(temporary.path)).toEqual(expected);
          expect((await readFile(journalPath, 'utf8')).split('\n')).toHaveLength(expected.length + 1);
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);

  test('reports what a crash tore off', async () => {
    await using temporary = await openTemporaryFolder();
    await writeRun(temporary.path, { 'main.jsonl': `${lineOf(numberedRollout(1))}{"schema":"tal` });
    await using folder = await openSampleRun(temporary.path, 'resume');
    expect(folder.resumeReport).toMatchObject({ rolloutCount: 1, tornBytes: 14, damagedCount: 0 });
  });

  test('a damaged line in the middle is reported with file and line, skipped, and left where it is', async () => {
    await using temporary = await openTemporaryFolder();
    const text = [
      lineOf(numberedRollout(1)),
      'garbage\n',
      '{"schema":"talaria.rollout/1"}\n',
      '\n',
      lineOf(numberedRollout(2)),
    ].join('');
    await writeRun(temporary.path, { 'main.jsonl': text });
    const path = join(temporary.path, 'journal', 'main.jsonl');
    await appendFile(path, Buffer.from([0xff, 0xfe, 0x0a]));
    const logger = createMemoryLogger();
    {
      await using folder = await openSampleRun(temporary.path, 'resume', { logger });
      expect(folder.resumeReport.damagedLines.map((line) => [line.path, line.lineNumber])).toEqual([
        [path, 2],
        [path, 3],
        [path, 6],
      ]);
      expect(logger.entries.filter(({ event }) => event === 'journal.damaged-line')).toHaveLength(3);
      expect(await storedIds(folder)).toEqual(['rollout_1', 'rollout_2']);
      await folder.appendRollout(numberedRollout(3));
    }
    expect(await resumeAndList(temporary.path)).toEqual(['rollout_1', 'rollout_2', 'rollout_3']);
    expect((await readFile(path, 'utf8')).startsWith(text)).toBe(true);
  });

  test('a whole record behind a half one on the same line is found', async () => {
    await using temporary = await openTemporaryFolder();
    const half = lineOf(numberedRollout(1)).slice(0, 200);
    await writeRun(temporary.path, { 'main.jsonl': half + lineOf(numberedRollout(2)) + lineOf(numberedRollout(3)) });
    expect(await resumeAndList(temporary.path)).toEqual(['rollout_2', 'rollout_3']);
    await using folder = await openSampleRun(temporary.path, 'resume');
    expect((await folder.rolloutsOf('item2:0')).map(({ rolloutId }) => rolloutId)).toEqual(['rollout_2']);
  });

  test('of two records with one key the first counts, and the second is reported', async () => {
    await using temporary = await openTemporaryFolder();
    await writeRun(temporary.path, {
      'main.jsonl':
        lineOf(numberedRollout(1, { rolloutId: 'first' })) + lineOf(numberedRollout(1, { rolloutId: 'second' })),
    });
    await using folder = await openSampleRun(temporary.path, 'resume');
    expect(folder.resumeReport).toMatchObject({ rolloutCount: 1, duplicateCount: 1 });
    expect(await storedIds(folder)).toEqual(['first']);
  });

  test('the files of other writers are read, and never changed', async () => {
    await using temporary = await openTemporaryFolder();
    const other = `${lineOf(numberedRollout(1))}${lineOf(numberedRollout(2))}{"schema":"torn`;
    await writeRun(temporary.path, { 'worker-2.jsonl': other, 'notes.txt': 'no journal' });
    {
      await using folder = await openSampleRun(temporary.path, 'resume');
      expect(folder.rolloutCount).toBe(2);
      await folder.appendRollout(numberedRollout(3));
      expect(await storedIds(folder)).toEqual(['rollout_1', 'rollout_2', 'rollout_3']);
    }
    expect(await readFile(join(temporary.path, 'journal', 'worker-2.jsonl'), 'utf8')).toBe(other);
  });

  test('a record of a newer version stops the resuming instead of being skipped', async () => {
    await using temporary = await openTemporaryFolder();
    const newer = lineOf(numberedRollout(1)).replace('talaria.rollout/1', 'talaria.rollout/2');
    await writeRun(temporary.path, { 'main.jsonl': newer });
    await expect(openSampleRun(temporary.path, 'resume')).rejects.toMatchObject({ code: 'state.unknown-version' });
    expect(await readFile(join(temporary.path, 'journal', 'main.jsonl'), 'utf8')).toBe(newer);
  });

  test('holds 10,000 records in the order of the calls, and finds each after resuming', async () => {
    await using temporary = await openTemporaryFolder();
    const count = 10_000;
    {
      await using folder = await openSampleRun(temporary.path, 'create');
      for (let start = 0; start < count; start += 500) {
        await Promise.all(
          Array.from({ length: 500 }, (_, index) => folder.appendRollout(numberedRollout(start + index))),
        );
      }
    }
    await using folder = await openSampleRun(temporary.path, 'resume');
    expect(folder.rolloutCount).toBe(count);
    const ids = await storedIds(folder);
    expect(ids).toEqual(Array.from({ length: count }, (_, number) => `rollout_${number}`));
    const [rollout] = await folder.rolloutsOf('item7777:0');
    expect(rollout?.rolloutId).toBe('rollout_7777');
  }, 60_000);

  test('can be read while it is written: a reader sees what was on disk when it began', async () => {
    await using temporary = await openTemporaryFolder();
    await using folder = await openSampleRun(temporary.path, 'create');
    await folder.appendRollout(numberedRollout(0));
    const reading = folder.rollouts()[Symbol.asyncIterator]();
    expect((await reading.next()).value?.rolloutId).toBe('rollout_0');
    const appends = Array.from({ length: 100 }, (_, number) => folder.appendRollout(numberedRollout(number + 1)));
    expect((await reading.next()).done).toBe(true);
    await Promise.all(appends);
    expect(await storedIds(folder)).toHaveLength(101);
  });

  const testOnLinux = process.platform === 'linux' ? test : test.skip;

  testOnLinux('is written through: every write waits for the disk', async () => {
    await using temporary = await openTemporaryFolder();
    await using _folder = await openSampleRun(temporary.path, 'create');
    const path = join(temporary.path, 'journal', 'main.jsonl');
    const descriptors = await readdir('/proc/self/fd');
    const links = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
    const facts = await readFile(`/proc/self/fdinfo/${descriptors[links.indexOf(path)]}`, 'utf8');
    const flags = Number.parseInt(/^flags:\s*(\d+)$/m.exec(facts)?.[1] ?? '', 8);
    expect(flags & constants.O_DSYNC).toBe(constants.O_DSYNC);
    expect(flags & constants.O_APPEND).toBe(constants.O_APPEND);
  });

  test('reading stops with the reason of the signal', async () => {
    await using temporary = await openTemporaryFolder();
    await using folder = await openSampleRun(temporary.path, 'create');
    for (let number = 0; number < 3; number += 1)
      await folder.appendRollout(numberedRollout(number, { info: { pad: 'x'.repeat(300_000) } }));
    const controller = new AbortController();
    const reason = new Error('stop');
    const read = async (): Promise<void> => {
      for await (const _rollout of folder.rollouts({ signal: controller.signal })) controller.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
    await expect(folder.rolloutsOf('item1:0', { signal: controller.signal })).rejects.toBe(reason);
  });
});
