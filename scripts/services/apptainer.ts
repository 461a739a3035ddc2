import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ApptainerService } from '../../packages/testing-services/src/services/service-description.ts';
import { apptainerEntry } from './apptainer-entry.ts';
import { makeApptainerRoot, makeBusyboxArchive, makeDebianArchive, type RootArchive } from './debian-roots.ts';
import { findProgram, isRoot, runProgram } from './host-programs.ts';
import { type ServiceContext, timed } from './service-context.ts';
import { StepError } from './step-error.ts';

const commandTimeoutMs = 60_000;
const buildTimeoutMs = 240_000;

/** Takes the installed Apptainer, or makes one in a root of its own, and builds the images for tests. */
export async function bringUpApptainer(context: ServiceContext): Promise<ApptainerService> {
  const installed = findProgram('apptainer');
  if (installed === undefined && !(isRoot && process.platform === 'linux')) {
    throw new StepError(
      'Apptainer is not installed, and only root on Linux can run it in a root of its own',
      'Install Apptainer, or run this as root on Debian 12.',
    );
  }
  const [path, debian, busybox] = await Promise.all([
    installed ?? makeApptainerProgram(context),
    makeDebianArchive(context),
    makeBusyboxArchive(context),
  ]);
  const version = await runApptainer(path, ['--version']);
  const image = await buildImage(context, path, debian);
  const shellImage = await buildImage(context, path, busybox);
  return {
    path,
    version: version.replace(/^apptainer version /, ''),
    image,
    shellImage,
    needsNoPrivs: await needsNoPrivs(path, shellImage),
  };
}

async function makeApptainerProgram(context: ServiceContext): Promise<string> {
  await context.packages.ensure([{ program: 'unshare', package: 'util-linux' }]);
  const root = await makeApptainerRoot(context);
  const path = join(context.folder, 'bin', 'apptainer');
  await mkdir(join(context.folder, 'bin'), { recursive: true });
  // By a rename: one that is being run is not written to.
  await writeFile(`${path}.part`, apptainerEntry(root), { mode: 0o755 });
  await rename(`${path}.part`, path);
  return path;
}

function buildImage(context: ServiceContext, path: string, archive: RootArchive): Promise<string> {
  const name = basename(archive.path, '.tar');
  return context.cache.make(`${name}.sif`, (part) =>
    timed(context, `image ${name}.sif built`, async () => {
      const work = `${part.replace(/\.part$/, '')}.unpacked.${process.pid}.part`;
      try {
        await mkdir(work);
        await runProgram('tar', ['-C', work, '-xf', archive.path], {
          timeoutMs: commandTimeoutMs,
          hint: `See that ${context.cache.folder} has room.`,
        });
        // Level 1: five times as fast as the default, a tenth larger.
        const speed = ['--mksquashfs-args', '-comp gzip -Xcompression-level 1'];
        await runApptainer(path, ['build', ...speed, part, work], buildTimeoutMs);
      } finally {
        await rm(work, { recursive: true, force: true });
      }
    }),
  );
}

/** Tries it, since which capabilities root has differs from machine to machine. */
async function needsNoPrivs(path: string, image: string): Promise<boolean> {
  try {
    await runApptainer(path, ['exec', image, 'true']);
    return false;
  } catch {
    await runApptainer(path, ['exec', '--no-privs', image, 'true']);
    return true;
  }
}

function runApptainer(path: string, args: readonly string[], timeoutMs: number = commandTimeoutMs): Promise<string> {
  return runProgram(path, args, {
    timeoutMs,
    hint: 'It needs mount namespaces, pivot_root and loop devices: root in a machine of its own, not in a container.',
  });
}
