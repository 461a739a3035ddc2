import type { Logger } from '@talaria/core';
import { type Privileges, privilegesToTry } from './privileges.ts';
import type { SingularityBackendOptions, WritableMode } from './singularity-options.ts';

/** One way to start an instance; which of them a machine can do must be tried. */
export interface Way {
  readonly mode: WritableMode;
  readonly privileges: Privileges;
}

/** A way that this machine cannot do, with the reason. */
export interface RefusedWay extends Way {
  readonly complaint: string;
}

/**
 * All ways, the best first. To be root counts most, since agents install packages; then what costs least: a folder over
 * the image takes no time and no room, an unpacked image takes both, and memory is little.
 */
export function waysToTry(
  { writable, fakeroot }: Pick<SingularityBackendOptions, 'writable' | 'fakeroot'>,
  isDiskLimited: boolean,
): readonly Way[] {
  const privileges = privilegesToTry(fakeroot);
  const onDisk: readonly WritableMode[] = isDiskLimited
    ? ['overlay-image', 'overlay', 'sandbox']
    : ['overlay', 'sandbox', 'overlay-image'];
  const groups = writable === undefined ? [onDisk, ['tmpfs' as const]] : [[writable]];
  return groups.flatMap((modes) => privileges.flatMap((rights) => modes.map((mode) => ({ mode, privileges: rights }))));
}

/** Tells once what sandboxes have to do without here, and why. */
export function tellWay({ mode }: Way, refused: readonly RefusedWay[], isDiskLimited: boolean, logger: Logger): void {
  const reasons = refused.map((way) => `${way.mode} ${way.privileges.forStart[0] ?? ''}: ${way.complaint}`);
  logger.debug('sandbox.way-found', { mode, refused: reasons });
  if (mode === 'tmpfs') {
    const hint =
      'Files of sandboxes lie in memory, mostly no more than 64 MiB: see "sessiondir max size" in apptainer.conf.';
    logger.warn('sandbox.little-space', { hint, refused: reasons });
  }
  if (isDiskLimited && mode !== 'overlay-image') {
    const hint = 'Sandboxes have no limit of their disk here: that needs mkfs.ext3, and for a user fuse2fs.';
    logger.warn('sandbox.disk-not-limited', { hint, refused: reasons });
  }
}
