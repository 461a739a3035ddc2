import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { type Benchmark, type BenchmarkRow, median, quantile } from '@talaria/testing-services/bench';
import { inTurn } from './in-turn.ts';

const commandRounds = 300;
const uploadRounds = 21;
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

async function measure(folder: string): Promise<readonly BenchmarkRow[]> {
  const backend = createLocalBackend({ stateFolder: join(folder, 'state'), environment: process.env });
  await using sandbox = await backend.open({ taskId: 'bench' });
  const runs = await inTurn(commandRounds, { byHand: { act: spawnByHand }, run: { act: () => sandbox.run('true') } });
  const source = join(folder, 'source');
  await writeFile(source, Buffer.alloc(uploadBytes, 'talaria\n'));
  const copy = join(folder, 'state', 'copy');
  // The system's own copy, to a new file on the same file system: nothing is faster.
  const copies = await inTurn(uploadRounds, {
    plain: { act: () => copyFile(source, copy), reset: () => rm(copy) },
    upload: { act: () => sandbox.upload(source, '~/copy'), reset: () => sandbox.remove('~/copy') },
  });
  const [byHand, run] = [median(runs.byHand), median(runs.run)];
  const [plain, upload] = [median(copies.plain), median(copies.upload)];
  return [
    {
      name: 'run() p50 against bash -c true by hand',
      measured: run / byHand,
      unit: 'ratio',
      limit: { kind: 'at most', value: 2.5 },
      note: `medians ${run.toFixed(2)} ms against ${byHand.toFixed(2)} ms, p95 ${quantile(runs.run, 0.95).toFixed(2)} ms`,
    },
    {
      name: 'upload of 100 MiB, speed against a plain copy',
      measured: plain / upload,
      unit: 'ratio',
      limit: { kind: 'at least', value: 0.7 },
      note: `medians ${upload.toFixed(0)} ms against ${plain.toFixed(0)} ms`,
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
