import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Benchmark, type BenchmarkRow, median, sampleMs } from '@talaria/testing-services/bench';
import { encodeRollout, type Rollout } from '@talaria/trajectories';
import { sampleRollout } from '@talaria/trajectories/testing';
import { openRunFolder, type RunFolder } from '../src/index.ts';

const recordCount = 10_000;

/** Bare writes and journal records take turns in blocks of so many, so that both meet the same moments of the disk. */
const blockCount = 250;

/** A rollout of ten turns: about 5 kB. */
function benchmarkRollout(number: number): Rollout {
  const turn = sampleRollout().messages.slice(2);
  const messages = Array.from({ length: 10 }, () => turn).flat();
  return sampleRollout({ rolloutId: `rollout_${number}`, itemKey: `item${number}:0`, messages });
}

async function openFolder(path: string): Promise<RunFolder> {
  const manifest = { command: 'process', environment: 'benchmark', config: {}, versions: {} };
  return await openRunFolder({ path, mode: 'create', manifest });
}

/** One record after another, each durable before the next, beside the same bytes written bare. */
async function oneByOne(path: string): Promise<BenchmarkRow> {
  await using folder = await openFolder(join(path, 'one-by-one'));
  const line = Buffer.from(`${JSON.stringify(encodeRollout(benchmarkRollout(0)))}\n`);
  await using bare = await open(join(path, 'bare'), 'a');
  const bareMs: number[] = [];
  const journalMs: number[] = [];
  for (let number = 0; number < recordCount; number += blockCount) {
    bareMs.push(...(await sampleMs(blockCount, () => writeBare(bare, line))));
    const rollouts = Array.from({ length: blockCount }, (_, index) => benchmarkRollout(number + index));
    const next = rollouts.values();
    journalMs.push(...(await sampleMs(blockCount, () => appendNext(folder, next), 0)));
  }
  const ratio = median(journalMs) / median(bareMs);
  return {
    name: `${recordCount} records, durable one by one, beside write + fdatasync`,
    measured: ratio,
    unit: 'ratio',
    limit: { kind: 'at most', value: 1.5 },
    note: `medians: journal ${toMicroseconds(journalMs)} µs, bare ${toMicroseconds(bareMs)} µs, ${line.length} bytes`,
  };
}

async function writeBare(handle: FileHandle, line: Buffer): Promise<void> {
  await handle.write(line);
  await handle.datasync();
}

async function appendNext(folder: RunFolder, rollouts: Iterator<Rollout>): Promise<void> {
  const next = rollouts.next();
  if (next.done !== true) await folder.appendRollout(next.value);
}

function toMicroseconds(samples: readonly number[]): string {
  return (median(samples) * 1000).toFixed(0);
}

/** Many writers at once: group commit makes a record cheaper than one flush of its own. */
async function together(path: string, concurrency: number, aloneMs: number): Promise<BenchmarkRow> {
  await using folder = await openFolder(join(path, `together-${concurrency}`));
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < recordCount) {
        const number = next;
        next += 1;
        await folder.appendRollout(benchmarkRollout(number));
      }
    }),
  );
  const perRecord = (performance.now() - startedAt) / recordCount;
  return {
    name: `${recordCount} records, ${concurrency} at a time, beside one bare flush each`,
    measured: perRecord / aloneMs,
    unit: 'ratio',
    limit: { kind: 'at most', value: 1 },
    note: `${(1000 / perRecord).toFixed(0)} records/s`,
  };
}

/** A bare flush of its own for one record, now. */
async function measureBareMs(path: string): Promise<number> {
  await using handle = await open(path, 'a');
  const line = Buffer.from(`${JSON.stringify(encodeRollout(benchmarkRollout(0)))}\n`);
  return median(await sampleMs(1000, () => writeBare(handle, line)));
}

export const benchmark: Benchmark = {
  name: 'journal',
  async run() {
    const path = await mkdtemp(join(tmpdir(), 'talaria-journal-'));
    try {
      const alone = await oneByOne(path);
      const bareMs = await measureBareMs(join(path, 'bare'));
      return [alone, await together(path, 64, bareMs), await together(path, 1000, bareMs)];
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  },
};
