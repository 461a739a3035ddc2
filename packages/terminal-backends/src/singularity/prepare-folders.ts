import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@talaria/core';
import { nullWhereMissing } from '../host-files/path-stats.ts';
import { removeTree } from '../local/remove-tree.ts';
import { instanceFolders, overlayImageOf } from './instance-arguments.ts';
import type { InstancePlan } from './instance-plan.ts';
import type { Way } from './instance-ways.ts';
import { readComplaint } from './singularity-error.ts';
import type { SingularityMount } from './singularity-options.ts';
import type { SingularitySetup } from './singularity-setup.ts';

const maxUnpackMs = 600_000;
const maxFormatMs = 120_000;
/** Of a file system in a file, where nobody names one; what is not used takes no room. */
const defaultDiskMiB = 51_200;

/** Makes the folders of an instance anew; tells why that is not possible, `null` where it is. */
export async function prepareFolders(
  { image, folder, spec }: InstancePlan,
  { mode, privileges }: Way,
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const { files, work } = instanceFolders(folder);
  await removeTree(files);
  await makeFolder(work, { mode: 0o700 });
  if (mode !== 'sandbox') await mkdir(files, { mode: 0o755 });
  if (mode === 'overlay-image') {
    const rights = privileges.forStart.filter((word) => word === '--fakeroot');
    const size = String(spec.diskMiB ?? defaultDiskMiB);
    const args = ['overlay', 'create', ...rights, '--sparse', '--size', size, overlayImageOf(files)];
    const result = await setup.call(args, { timeoutMs: maxFormatMs, signal });
    return result.exitCode === 0 ? null : readComplaint(result.stderr || result.stdout);
  }
  if (mode !== 'sandbox') return null;
  const result = await setup.call(['build', '--sandbox', files, image], { timeoutMs: maxUnpackMs, signal });
  if (result.exitCode !== 0) return readComplaint(result.stderr || result.stdout);
  const home = privileges.isRoot ? [] : [setup.environment['HOME'] ?? '/'];
  const targets = (setup.options.mounts ?? []).map(({ target }) => target);
  for (const target of [...home, ...targets]) await makeMountPoint(files, target);
  return null;
}

/**
 * In an unpacked image the program makes no place for what is to be mounted. What the image has there stays; a link of the
 * image is not followed, since here it would lead to files of this machine.
 */
async function makeMountPoint(root: string, target: string): Promise<void> {
  let path = root;
  for (const name of target.split('/').filter((part) => part !== '' && part !== '.')) {
    if (name === '..') return;
    path = join(path, name);
    const stats = await lstat(path).catch(nullWhereMissing);
    if (stats === null) await mkdir(path, { mode: 0o755 });
    else if (!stats.isDirectory()) return;
  }
}

/** The program goes on without what it cannot mount, and only mentions it. */
export function findMissingMount(output: string, mounts: readonly SingularityMount[] = []): string | null {
  const line = output.split('\n').find((text) => {
    return /Skipping mount/i.test(text) && mounts.some(({ target }) => text.includes(`${target} doesn't exist`));
  });
  return line === undefined ? null : line.trim();
}
