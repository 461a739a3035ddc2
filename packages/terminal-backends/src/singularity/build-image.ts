import { readdir, rename, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { isAbortOf, makeFolder } from '@talaria/core';
import { nullWhereMissing } from '../host-files/path-stats.ts';
import { machineMark } from '../ledger/machine-mark.ts';
import { isRunning } from '../ledger/sandbox-owner.ts';
import { removeTree } from '../local/remove-tree.ts';
import { tellListener } from '../tell-listener.ts';
import { writeSum } from './image-sum.ts';
import { codeFor, explainSystemError, hintFor, readComplaint, singularityError } from './singularity-error.ts';
import type { SingularitySetup } from './singularity-setup.ts';

/** An image to be built. */
export interface ImageBuild {
  /** As the user names it. */
  readonly image: string;
  /** As the program does. */
  readonly reference: string;
  /** Path of the image. */
  readonly target: string;
  readonly timeoutMs: number;
}

/**
 * Builds an image in a folder of its own, which is gone at the end; `target` is whole or not there.
 * @throws SandboxError `sandbox.build-failed`, `sandbox.no-space`, `sandbox.timeout`
 */
export async function buildImage(
  { image, reference, target, timeoutMs }: ImageBuild,
  setup: SingularitySetup,
  signal: AbortSignal,
): Promise<void> {
  const { options, logger, cacheFolder } = setup;
  const folder = join(cacheFolder, setup.createId(`build-${await machineMark()}-${process.pid}`));
  const temporaryFolder = join(folder, 'tmp');
  const built = join(folder, 'image.sif');
  function hearLine(text: string): void {
    tellListener(options.onProgress, { image, text }, logger);
  }
  logger.info('image.building', { image });
  try {
    await makeFolder(temporaryFolder, { mode: 0o700 });
    const result = await setup.call(['build', built, reference], {
      timeoutMs,
      build: { temporaryFolder },
      // A definition file names what it copies relative to this.
      cwd: isAbsolute(reference) ? dirname(reference) : '/',
      onLine: hearLine,
      signal,
    });
    if (result.exitCode !== 0) throw buildError(image, folder, readComplaint(result.stderr || result.stdout));
    await writeSum(built, target);
    await rename(built, target);
  } catch (error) {
    throw isAbortOf(error, signal) ? error : explainSystemError(error, folder);
  } finally {
    await removeTree(folder);
  }
}

function buildError(image: string, folder: string, complaint: string): unknown {
  return singularityError(`The image ${image} cannot be built in ${folder}: ${complaint}`, {
    code: codeFor(complaint, 'sandbox.build-failed'),
    phase: 'create',
    hint: hintFor(complaint),
  });
}

const folderName = /^build-([0-9a-f]+)-(\d+)_/;
/** Of whoever cannot be asked whether they live: no build takes that long. */
const forgottenAfterMs = 86_400_000;

/** Removes what builders left that were killed. */
export async function sweepBuilds({ cacheFolder, clock }: SingularitySetup): Promise<void> {
  const names = (await readdir(cacheFolder).catch(nullWhereMissing)) ?? [];
  const mark = await machineMark();
  for (const name of names) {
    const [, machine, pid] = folderName.exec(name) ?? [];
    if (machine === undefined) continue;
    const path = join(cacheFolder, name);
    const stats = await stat(path).catch(nullWhereMissing);
    const isLeft =
      machine === mark ? !(await isRunning(Number(pid))) : clock.now() - (stats?.mtimeMs ?? 0) > forgottenAfterMs;
    if (isLeft) await removeTree(path);
  }
}
