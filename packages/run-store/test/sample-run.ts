import type { Rollout } from '@talaria/trajectories';
import { sampleRollout } from '@talaria/trajectories/testing';
import { openRunFolder, type RunFolder, type RunFolderOptions } from '../src/index.ts';

/** Opens a run folder of the sample environment. */
export function openSampleRun(
  path: string,
  mode: RunFolderOptions['mode'],
  options: Partial<RunFolderOptions> = {},
): Promise<RunFolder> {
  const manifest = {
    command: 'process',
    environment: 'sample',
    config: { env: { group_size: 4 } },
    versions: { talaria: '0.0.0' },
  };
  return openRunFolder({ path, mode, manifest, ...options });
}

/** A rollout that differs from others by its number. */
export function numberedRollout(number: number, changes: Partial<Rollout> = {}): Rollout {
  return sampleRollout({ rolloutId: `rollout_${number}`, itemKey: `item${number}:0`, ...changes });
}

/** The identifiers of all rollouts of a folder, in stored order. */
export async function storedIds(folder: RunFolder): Promise<string[]> {
  const ids: string[] = [];
  for await (const rollout of folder.rollouts()) ids.push(rollout.rolloutId);
  return ids;
}
