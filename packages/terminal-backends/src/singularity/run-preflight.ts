import { ensureImage } from './ensure-image.ts';
import { hintFor, readComplaint, singularityError } from './singularity-error.ts';
import type { SingularityPreflightOptions } from './singularity-options.ts';
import type { SingularitySetup } from './singularity-setup.ts';

const maxVersionMs = 30_000;

/** Finds the program, asks it for its version, and makes the images ready. */
export async function runPreflight(
  setup: SingularitySetup,
  { images, signal }: SingularityPreflightOptions,
): Promise<void> {
  const { options, logger } = setup;
  const program = setup.findProgram();
  const result = await setup.call(['--version'], { timeoutMs: maxVersionMs, signal });
  if (result.exitCode !== 0) {
    const complaint = readComplaint(result.stderr || result.stdout);
    throw singularityError(`${program} does not work: ${complaint}`, {
      code: 'sandbox.failed',
      phase: 'create',
      hint: hintFor(complaint),
    });
  }
  const version = result.stdout.trim();
  if (isOld(version)) {
    const hint = 'Apptainer 1.1, or SingularityCE 3.9, is the oldest that is known to do.';
    logger.warn('singularity.old-version', { version, hint });
  }
  // One after another: a build takes all the disk and network that there is.
  for (const image of new Set(images ?? (options.image === undefined ? [] : [options.image]))) {
    await ensureImage(image, setup, signal);
  }
}

function isOld(version: string): boolean {
  const [, name, major, minor] = /(apptainer|singularity)\S* version (\d+)\.(\d+)/.exec(version) ?? [];
  if (name === undefined) return false;
  const [oldestMajor, oldestMinor] = name === 'apptainer' ? [1, 1] : [3, 9];
  return Number(major) < oldestMajor || (Number(major) === oldestMajor && Number(minor) < oldestMinor);
}
