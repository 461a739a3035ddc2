import { spawn } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { type Benchmark, type BenchmarkRow, median, quantile } from '@talaria/testing-services/bench';

const commandRounds = 300;
const uploadRounds = 15;
const uploadBytes = 100 * 2 ** 20;

/** What `run` is compared with: the same shell, started with the same call, its output piped, waited for to its close. */
function spawnByHand(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

/** What an upload is compared with: read and write in 1 MiB pieces, flushed by neither. */
async function copyByHand(source: string, target: string): Promise<void> {
  await using from = await open(source, 'r');
  await using to = await open(target, 'w');
  const piece = Buffer.allocUnsafe(2 ** 20);
  for (;;) {
    const { bytesRead } = await from.read(piece, 0, piece.length, null);
    if (bytesRead === 0) return;
    await to.write(piece, 0, bytesRead);
  }
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}

/** Measures both in turn, so that what else the machine does falls on both alike. */
async function inTurn(rounds: number, one: () => Promise<unknown>, other: () => Promise<unknown>) {
  const times = { one: [] as number[], other: [] as number[] };
  for (let round = -3; round < rounds; round += 1) {
    const measured = [await timed(one), await timed(other)] as const;
    if (round < 0) continue;
    times.one.push(measured[0]);
    times.other.push(measured[1]);
  }
  return times;
}

async function measure(folder: string): Promise<readonly BenchmarkRow[]> {
  const backend = createLocalBackend({ stateFolder: join(folder, 'state'), environment: process.env });
  await using sandbox = await backend.open({ taskId: 'bench' });
  const runs = await inTurn(commandRounds, spawnByHand, () => sandbox.run('true'));
  const source = join(folder, 'source');
  await writeFile(source, Buffer.alloc(uploadBytes, 'talaria\n'));
  const copies = await inTurn(
    uploadRounds,
    () => copyByHand(source, join(folder, 'copy')),
    () => sandbox.upload(source, '~/copy'),
  );
  const [byHand, run] = [median(runs.one), median(runs.other)];
  const [copy, upload] = [median(copies.one), median(copies.other)];
  return [
    {
      name: 'run() p50 against bash -c true by hand',
      measured: run / byHand,
      unit: 'ratio',
      limit: { kind: 'at most', value: 2.5 },
      note: `${run.toFixed(2)} ms against ${byHand.toFixed(2)} ms, p95 ${quantile(runs.other, 0.95).toFixed(2)} ms`,
    },
    {
      name: 'upload of 100 MiB, speed against a plain copy',
      measured: copy / upload,
      unit: 'ratio',
      limit: { kind: 'at least', value: 0.7 },
      note: `${upload.toFixed(0)} ms against ${copy.toFixed(0)} ms`,
    },
  ];
}

export const benchmark: Benchmark = {
  name: 'local backend',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'talaria-bench-'));
    try {
      return await measure(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};
