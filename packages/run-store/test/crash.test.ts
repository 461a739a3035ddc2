import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { seededRandom, systemClock } from '@talaria/core';
import { startProgram } from './child-program.ts';
import { openSampleRun, storedIds } from './sample-run.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

const rounds = Number(process.env['TALARIA_CRASH_ROUNDS'] ?? 12);

/** Lets the program run until it has reported so many records, then a moment more, and kills it. */
async function runAndKill(path: string, round: number, reportedBefore: number, delayMs: number): Promise<string[]> {
  await using program = startProgram('append-forever.ts', [path, String(round)]);
  const reported: string[] = [];
  const reading = (async () => {
    for (let line = await program.nextLine(); line !== undefined; line = await program.nextLine()) {
      if (line.startsWith('done ')) reported.push(line.slice(5));
      if (reported.length === reportedBefore) await systemClock.sleep(delayMs).then(program.kill);
    }
  })();
  // Some rounds end while the program starts or takes over the lock.
  if (reportedBefore === 0) await systemClock.sleep(delayMs).then(program.kill);
  await reading;
  return reported;
}

test(
  'after SIGKILL at any instant every record that was reported is in the journal once, and the run goes on',
  async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'run');
    const seed = String(Date.now());
    const random = seededRandom(seed);
    const reported: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const isEarly = round % 4 === 3;
      const reportedBefore = isEarly ? 0 : 1 + Math.floor(random() * 60);
      reported.push(...(await runAndKill(path, round, reportedBefore, random() * (isEarly ? 500 : 20))));
    }
    await using folder = await openSampleRun(path, 'create-or-resume');
    const stored = await storedIds(folder);
    const timesStored = new Map<string, number>();
    for (const id of stored) timesStored.set(id, (timesStored.get(id) ?? 0) + 1);
    expect({ seed, wrong: reported.filter((id) => timesStored.get(id) !== 1) }).toEqual({ seed, wrong: [] });
    expect(folder.resumeReport).toMatchObject({ duplicateCount: 0, damagedCount: 0, rolloutCount: stored.length });
    const text = await readFile(join(path, 'journal', 'main.jsonl'), 'utf8');
    expect(text.split('\n')).toHaveLength(stored.length + 1);
    expect(reported.length).toBeGreaterThan(rounds);
  },
  30_000 + rounds * 3000,
);
