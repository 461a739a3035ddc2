import { spawn } from 'node:child_process';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { type BenchmarkRow, median, quantile } from '@talaria/testing-services/bench';
import type { Contender } from './in-turn.ts';

/** Runs a program of the host to its end, without its output. Rejects where it fails. */
export function runProgram(file: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', (chunk) => {
      complaint = `${complaint}${chunk}`.slice(-500);
    });
    child.once('error', reject).once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${file} ${args.join(' ')} ended with ${code}: ${complaint}`));
    });
  });
}

/** The same shell on the host, started by hand: what no sandbox can beat by much. */
export const spawnBash: Contender = { act: () => runProgram('bash', ['--noprofile', '--norc', '-c', 'true']) };

const largeBytes = 100 * 2 ** 20;
const smallFiles = 1_000;

/** Files to carry: one of 100 MiB that no compression makes smaller, and a folder of 1,000 small ones. */
export async function makePayload(folder: string): Promise<{ readonly large: string; readonly small: string }> {
  const large = join(folder, 'large');
  await runProgram('dd', ['if=/dev/urandom', `of=${large}`, 'bs=1M', `count=${largeBytes / 2 ** 20}`]);
  const small = join(folder, 'small');
  await mkdir(small);
  for (let index = 0; index < smallFiles; index += 1)
    await writeFile(join(small, `file-${index}`), `${index}\n`.repeat(50));
  return { large, small };
}

/** Fails where a carried file has not the size that it must have. */
export async function requireSize(path: string): Promise<void> {
  const { size } = await stat(path);
  if (size !== largeBytes) throw new Error(`${path} has ${size} bytes instead of ${largeBytes}`);
}

/** Carries the large file up, and says that it is whole. */
export function uploadContender(sandbox: SandboxHandle, from: string): Contender {
  return {
    async act() {
      const { bytes } = await sandbox.upload(from, '/tmp/up');
      if (bytes !== largeBytes) throw new Error(`${bytes} bytes went up`);
    },
    reset: () => sandbox.remove('/tmp/up'),
  };
}

/** Carries the large file down, and says that it is whole. */
export function downloadContender(sandbox: SandboxHandle, to: string): Contender {
  return {
    async act() {
      await sandbox.download('/tmp/large', to);
      await requireSize(to);
    },
    reset: () => rm(to),
  };
}

/** How many times faster one is than another, at the median. */
export function fasterRow(
  name: string,
  limit: number,
  ours: readonly number[],
  theirs: readonly number[],
): BenchmarkRow {
  return {
    name,
    measured: median(theirs) / median(ours),
    unit: 'times',
    limit: { kind: 'at least', value: limit },
    note: describe(ours, theirs),
  };
}

/** How many times as long one takes as another, at the median. */
export function slowerRow(
  name: string,
  limit: number,
  ours: readonly number[],
  theirs: readonly number[],
): BenchmarkRow {
  return {
    name,
    measured: median(ours) / median(theirs),
    unit: 'ratio',
    limit: { kind: 'at most', value: limit },
    note: describe(ours, theirs),
  };
}

function describe(ours: readonly number[], theirs: readonly number[]): string {
  const [own, other] = [median(ours), median(theirs)].map((ms) => ms.toFixed(1));
  return `medians ${own} ms against ${other} ms, p95 ${quantile(ours, 0.95).toFixed(1)} ms`;
}
