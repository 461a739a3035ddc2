import { rename, rm, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { ConfigError, contentHash, makeFolder } from '@talaria/core';
import { nullWhereMissing } from '../host-files/path-stats.ts';
import { holdBuildLock } from './build-lock.ts';
import { hintFor, readComplaint, singularityError } from './singularity-error.ts';
import type { SingularitySetup } from './singularity-setup.ts';

const defaultBuildTimeoutMs = 1_800_000;
/** How a reference begins that says where an image comes from; anything else is a name, with or without a tag. */
const origin = /^(?:docker|oras|library|shub|https?):\/\/|^(?:docker-archive|docker-daemon|oci-archive|oci):/;
const maxNameLength = 60;

/**
 * Path of an image that sandboxes can be started from. What is none yet is built, once for all who ask for it at the same
 * time, in whatever process; a build ends when nobody waits for it any more.
 * @throws ConfigError `config.missing-image`; SandboxError `sandbox.build-failed` with the end of the log,
 * `sandbox.timeout`
 */
export async function ensureImage(
  image: string,
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<string> {
  const source = await findSource(image);
  if (source.kind === 'ready') return source.path;
  const target = join(setup.cacheFolder, source.fileName);
  if (await exists(target)) return target;
  return await setup.builds.join(target, (stop) => buildLocked(image, source.reference, target, setup, stop), signal);
}

type ImageSource =
  | { readonly kind: 'ready'; readonly path: string }
  | { readonly kind: 'build'; readonly reference: string; readonly fileName: string };

async function findSource(image: string): Promise<ImageSource> {
  if (isAbsolute(image)) {
    const stats = await stat(image).catch(nullWhereMissing);
    if (stats === null) throw missingImage(image);
    if (stats.isDirectory() || !image.endsWith('.def')) return { kind: 'ready', path: image };
    return { kind: 'build', reference: image, fileName: await nameOfFile(image, image) };
  }
  if (/^\.{0,2}\//.test(image) || /\.(?:sif|def)$/.test(image)) throw relativeImage(image);
  const reference = origin.test(image) ? image : `docker://${image}`;
  const archive = /^(?:docker|oci)-archive:(\/[^:]*)/.exec(reference)?.[1];
  return {
    kind: 'build',
    reference,
    fileName: archive === undefined ? fileNameOf(reference, '') : await nameOfFile(reference, archive),
  };
}

/** A file that has changed is another image. */
async function nameOfFile(reference: string, path: string): Promise<string> {
  const stats = await stat(path).catch(nullWhereMissing);
  if (stats === null) throw missingImage(path);
  return fileNameOf(reference, `${stats.size} ${stats.mtimeMs}`);
}

function fileNameOf(reference: string, version: string): string {
  const name = reference.replace(/[^A-Za-z0-9.]+/g, '-').slice(-maxNameLength);
  return `${contentHash({ reference, version }).slice(0, 32)}-${name}.sif`;
}

async function buildLocked(
  image: string,
  reference: string,
  target: string,
  setup: SingularitySetup,
  signal: AbortSignal,
): Promise<string> {
  await makeFolder(setup.cacheFolder);
  await using _lock = await holdBuildLock(`${target}.lock`, setup, signal);
  // Another process may have built it while this one waited.
  if (await exists(target)) return target;
  const pending = `${target}.${setup.createId('build')}.sif`;
  const { options, logger } = setup;
  logger.info('image.building', { image });
  try {
    const result = await setup.call(['build', pending, reference], {
      timeoutMs: options.buildTimeoutMs ?? defaultBuildTimeoutMs,
      forBuild: true,
      signal,
    });
    if (result.exitCode !== 0) throw buildError(image, readComplaint(result.stderr || result.stdout));
    await rename(pending, target);
  } finally {
    await rm(pending, { force: true });
  }
  return target;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(nullWhereMissing)) !== null;
}

function buildError(image: string, complaint: string): unknown {
  return singularityError(`The image ${image} cannot be built: ${complaint}`, {
    code: /no space left/i.test(complaint) ? 'sandbox.no-space' : 'sandbox.build-failed',
    phase: 'create',
    hint: hintFor(complaint),
  });
}

function missingImage(path: string): ConfigError {
  return new ConfigError(`The image ${path} does not exist`, {
    code: 'config.missing-image',
    hint: 'Correct its path, or build it: apptainer build FILE.sif docker://NAME.',
  });
}

function relativeImage(image: string): ConfigError {
  return new ConfigError(`The image ${image} is named by a relative path`, {
    code: 'config.invalid',
    hint: 'Give its absolute path.',
  });
}
