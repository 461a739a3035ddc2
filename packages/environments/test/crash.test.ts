import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { isJsonObject, parseJson, seededRandom } from '@talaria/core';
import { readRows, temporaryFolder } from './harness.ts';

/** Runs that are killed and resumed; more of them on request. */
const rounds = Number(process.env['TALARIA_CRASH_ROUNDS'] ?? 3);
const child = fileURLToPath(new URL('./crash-child.ts', import.meta.url));

/** When a child is killed: so long after it has reported so many rollouts. */
interface Kill {
  readonly reports: number;
  readonly delayMs: number;
}

/** Runs the child until it ends or is killed; gives the lines that it wrote. */
function runChild(folder: string, kill: Kill | null): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, ['--conditions=@talaria/source', child, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1' },
    });
    let output = '';
    let timer: NodeJS.Timeout | undefined;
    function watch(): void {
      if (kill === null || timer !== undefined || output.split('\n').length <= kill.reports) return;
      timer = setTimeout(() => running.kill('SIGKILL'), kill.delayMs);
    }
    running.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      watch();
    });
    watch();
    running.once('error', reject);
    running.once('close', () => {
      clearTimeout(timer);
      resolve(output.split('\n').slice(0, -1));
    });
  });
}

/** Any moment: while it starts, or around one of its reports. */
function drawKill(random: () => number): Kill {
  if (random() < 0.25) return { reports: 0, delayMs: random() * 1000 };
  return { reports: 1 + Math.floor(random() * 10), delayMs: random() * 60 };
}

/** Everything that stands in the journal, whole lines only. */
async function readJournal(folder: string) {
  const names = await readdir(join(folder, 'run/journal'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, 'run/journal', name), 'utf8')));
  return texts
    .flatMap((text) => text.split('\n').slice(0, -1))
    .map((line) => {
      const parsed = parseJson(line);
      if (!parsed.ok || !isJsonObject(parsed.value))
        throw new Error(`A torn line stands in the journal: ${line.slice(0, 80)}`);
      return parsed.value;
    });
}

test(
  `a run that is killed at any moment and resumed loses nothing that it reported and does nothing twice (${rounds} rounds)`,
  async () => {
    const random = seededRandom(`${process.env['TALARIA_CRASH_SEED'] ?? 'crash'}`);
    for (let round = 0; round < rounds; round += 1) {
      await using folder = await temporaryFolder();
      const reported: string[] = [];
      const kills = 1 + Math.floor(random() * 3);
      for (let kill = 0; kill < kills; kill += 1) {
        const lines = await runChild(folder.path, drawKill(random));
        reported.push(...lines.filter((line) => line.startsWith('rollout_')));
      }
      const lines = await runChild(folder.path, null);
      reported.push(...lines.filter((line) => line.startsWith('rollout_')));
      expect(lines.at(-1)).toBe('outcome done 6 12');

      const records = await readJournal(folder.path);
      const ids = records.map((record) => record['rollout_id']);
      for (const id of reported) expect(ids).toContain(id);
      expect(new Set(reported).size).toBe(reported.length);
      const keys = records.map((record) => `${record['item_key']}/${record['sample']}`);
      expect(keys).toHaveLength(12);
      expect(new Set(keys).size).toBe(12);

      const names = (await readdir(join(folder.path, 'data'))).filter((name) => name.endsWith('.jsonl'));
      const rows = (await Promise.all(names.map((name) => readRows(join(folder.path, 'data', name))))).flat();
      expect(rows.map((row) => (row['meta'] as { readonly index: number }).index).sort()).toEqual([0, 1, 2, 3, 4, 5]);
      expect(
        (await readdir(join(folder.path, 'state'), { recursive: true })).filter((name) => name.endsWith('/home')),
      ).toEqual([]);
    }
  },
  60_000 + rounds * 20_000,
);
