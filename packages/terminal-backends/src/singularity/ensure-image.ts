import { join } from 'node:path';
import { makeFolder } from '@talaria/core';
import { buildImage } from './build-image.ts';
import { holdBuildLock } from './build-lock.ts';
import { findImageSource } from './image-source.ts';
import { isWhole, removeIfDamaged } from './image-sum.ts';
import type { SingularitySetup } from './singularity-setup.ts';

const defaultBuildTimeoutMs = 1_800_000;

/**
 * Path of an image that sandboxes can be started from. What is none yet is built, once for all who ask for it at the same
 * time, in whatever process; a build ends when nobody waits for it any more.
 * @throws ConfigError `config.missing-image`; SandboxError `sandbox.build-failed` with the end of the log,
 * `sandbox.no-space`, `sandbox.timeout`
 */
export async function ensureImage(
  image: string,
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<string> {
  const source = await findImageSource(image);
  if (source.kind === 'ready') return source.path;
  const target = join(setup.cacheFolder, source.fileName);
  if (await isWhole(target)) return target;
  const { reference } = source;
  return await setup.builds.join(target, (stop) => buildLocked(image, reference, target, setup, stop), signal);
}

/**
 * Builds an image anew that no sandbox could be started from, if what was built was spoilt since; gives its path.
 * `null` where that is not to blame.
 */
export async function repairImage(
  image: string,
  path: string,
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const source = await findImageSource(image);
  if (source.kind === 'ready' || !(await removeIfDamaged(path))) return null;
  setup.logger.warn('image.damaged', { image, path, hint: 'It is built again: look after the disk that it lies on.' });
  return await ensureImage(image, setup, signal);
}

async function buildLocked(
  image: string,
  reference: string,
  target: string,
  setup: SingularitySetup,
  signal: AbortSignal,
): Promise<string> {
  await makeFolder(setup.cacheFolder);
  const timeoutMs = setup.options.buildTimeoutMs ?? defaultBuildTimeoutMs;
  await using _lock = await holdBuildLock(`${target}.lock`, { clock: setup.clock, timeoutMs }, signal);
  // Another process may have built it while this one waited.
  if (!(await isWhole(target))) await buildImage({ image, reference, target, timeoutMs }, setup, signal);
  return target;
}
