import { spawn } from 'node:child_process';

/** The value below which `share` (0 to 1) of the samples lie. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle of the samples. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** Runs `action` `count` times, after a warm-up, and gives the milliseconds of each. */
export async function sampleMs(count: number, action: () => unknown, warmUpCount = 5): Promise<number[]> {
  for (let round = 0; round < warmUpCount; round += 1) await action();
  const samples: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const startedAt = performance.now();
    await action();
    samples.push(performance.now() - startedAt);
  }
  return samples;
}

/** Starts a program and waits until it ended. */
export function spawnToEnd(file: string, args: readonly string[] = []): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

/** The unit "spawn": the median time to start `/bin/true` and see it end, in milliseconds, on this machine now. */
export async function measureSpawnMs(): Promise<number> {
  return median(await sampleMs(60, () => spawnToEnd('/bin/true')));
}
