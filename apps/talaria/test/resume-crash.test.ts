import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { seededRandom } from '@talaria/core';
import { writeStepsEnvironment } from './environments.ts';
import { findProcesses, startTalaria } from './talaria-process.ts';

/** How many runs are killed; set the variable for a longer test. */
const rounds = Number(process.env['TALARIA_CRASH_ROUNDS'] ?? 4);
const groups = 12;
const groupSize = 2;

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-resume-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

interface JournalRow {
  readonly rollout_id: string;
  readonly item: { readonly id: string };
  readonly sample: number;
  readonly attempt: number;
  readonly reward: number | null;
}

/** Every whole line of the journal; a line that a kill tore is none. */
async function readJournal(runFolder: string): Promise<readonly JournalRow[]> {
  const folder = join(runFolder, 'journal');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => text.split('\n').flatMap(parseRow));
}

function parseRow(line: string): readonly JournalRow[] {
  try {
    const row: unknown = JSON.parse(line);
    return typeof row === 'object' && row !== null && 'rollout_id' in row ? [row as JournalRow] : [];
  } catch {
    return [];
  }
}

/** `step-3 #1` of each rollout that the program said it had finished. */
function reportedRollouts(stderr: string): readonly string[] {
  return [...stderr.matchAll(/^(step-\d+ #\d+): reward/gm)].flatMap(([, name]) => name ?? []);
}

test(
  `${rounds} runs killed at random instants lose nothing that was reported, and do nothing twice`,
  async () => {
    const file = await writeStepsEnvironment(cwd);
    const random = seededRandom(String(Date.now()));
    for (let round = 0; round < rounds; round += 1) {
      const runFolder = join(cwd, `run-${round}`);
      const child = startTalaria(['run', file, '--output', runFolder, '--plain'], { cwd });
      const killAfterMs = 200 + random() * 1_500;
      await Promise.race([sleep(killAfterMs), child]);
      child.kill('SIGKILL');
      const { stderr } = await child;
      const reported = reportedRollouts(stderr);
      const before = await readJournal(runFolder).catch(() => []);
      const durable = before.map(({ item, sample }) => `${item.id} #${sample}`);
      expect(durable).toEqual(expect.arrayContaining([...reported]));

      // Killed before it had a folder, a run has nothing to go on with.
      const place = existsSync(runFolder) ? '--resume' : '--output';
      const resumed = await startTalaria(['run', file, place, runFolder, '--json'], { cwd });
      expect(resumed).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('error:') });
      const after = await readJournal(runFolder);
      const scored = after.filter(({ reward }) => reward !== null).map(({ item, sample }) => `${item.id} #${sample}`);
      expect([...scored].sort()).toEqual([...new Set(scored)].sort());
      expect(scored).toHaveLength(groups * groupSize);
      expect(after.map(({ rollout_id: id }) => id)).toEqual(
        expect.arrayContaining(before.map((row) => row.rollout_id)),
      );
      const lines = (await readFile(join(runFolder, 'steps.jsonl'), 'utf8')).trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).scores)).toEqual(Array.from({ length: groups }, () => [1, 1]));
      expect(await findProcesses(join(cwd, 'state'))).toEqual([]);
      expect(await readdir(join(cwd, 'state', 'sandboxes'))).toEqual([]);
    }
  },
  60_000 + rounds * 20_000,
);
