import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './host-programs.ts';
import { type ServiceContext, timed } from './service-context.ts';
import { StepError } from './step-error.ts';

/** Half a minute on a machine that does nothing else, five minutes on one that is very busy. */
const rootTimeoutMs = 600_000;
const unpackTimeoutMs = 120_000;

interface DebianRecipe {
  readonly suite: string;
  readonly format: 'tar' | 'directory';
  readonly packages: readonly string[];
}

/** What the images for tests hold: bash and coreutils are in every Debian. */
const imageRecipe: DebianRecipe = { suite: 'bookworm', format: 'tar', packages: ['git', 'procps', 'python3'] };
/** Debian 12 has no Apptainer, so it runs in a root of the release that is being made. */
const apptainerRecipe: DebianRecipe = {
  suite: 'sid',
  format: 'directory',
  packages: ['apptainer', 'ca-certificates', 'squashfs-tools'],
};
const busyboxRecipe = { package: 'busybox-static', layout: 1 };

/** As Debian's own slim images leave out. */
const leftOut = ['/usr/share/doc/*', '/usr/share/locale/*', '/usr/share/man/*'];
const makerArguments = [
  '--variant=minbase',
  // The signature is checked all the same; mirrors of an unstable release may lag behind its date of expiry.
  '--aptopt=Acquire::Check-Valid-Until "false"',
  // What is half made is thrown away, so nothing need reach the disk before the end.
  '--dpkgopt=force-unsafe-io',
  ...leftOut.map((pattern) => `--dpkgopt=path-exclude=${pattern}`),
];

/** Changes when the recipe does, so that what was made by an older one is not used. */
function recipeKey(recipe: object): string {
  return createHash('sha256')
    .update(JSON.stringify([recipe, makerArguments, process.arch]))
    .digest('hex')
    .slice(0, 12);
}

/** A root as a tar file, and the key of the recipe that it was made by. */
export interface RootArchive {
  readonly path: string;
  readonly key: string;
}

/** Debian 12 with bash, python3, git and procps. */
export async function makeDebianArchive(context: ServiceContext): Promise<RootArchive> {
  const key = recipeKey(imageRecipe);
  const path = await context.cache.make(`debian-${key}.tar`, (part) => makeRoot(context, imageRecipe, part));
  return { path, key };
}

/** A folder that holds a Debian with the `apptainer` program. */
export function makeApptainerRoot(context: ServiceContext): Promise<string> {
  const name = `apptainer-root-${recipeKey(apptainerRecipe)}`;
  return context.cache.make(name, (part) => makeRoot(context, apptainerRecipe, part));
}

async function makeRoot(context: ServiceContext, recipe: DebianRecipe, target: string): Promise<void> {
  await context.packages.ensure([{ program: 'mmdebstrap', package: 'mmdebstrap' }]);
  await timed(context, `Debian ${recipe.suite} with ${recipe.packages.join(', ')} made`, () =>
    runProgram(
      'mmdebstrap',
      [...makerArguments, `--include=${recipe.packages.join(',')}`, `--format=${recipe.format}`, recipe.suite, target],
      {
        timeoutMs: rootTimeoutMs,
        hint: 'See that this machine reaches a mirror of Debian (apt-get update), then run this again.',
      },
    ),
  );
}

/** BusyBox alone, with a link for each of its programs: no bash, and nothing of Debian's. */
export async function makeBusyboxArchive(context: ServiceContext): Promise<RootArchive> {
  const key = recipeKey(busyboxRecipe);
  const path = await context.cache.make(`busybox-${key}.tar`, (part) =>
    timed(context, 'root with BusyBox alone made', () => makeBusyboxRoot(context, part)),
  );
  return { path, key };
}

async function makeBusyboxRoot(context: ServiceContext, target: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'talaria-busybox-'));
  try {
    // An installed BusyBox might be linked to libraries; and to install the static one would remove the other.
    await context.packages.download(busyboxRecipe.package, work);
    const hint = 'This needs dpkg-deb, tar and room for temporary files.';
    await runProgram('dpkg-deb', ['-x', findFile(work, '*.deb'), join(work, 'unpacked')], {
      timeoutMs: unpackTimeoutMs,
      hint,
    });
    const root = join(work, 'root');
    await layOutBusybox(findFile(work, 'unpacked/{bin,usr/bin}/busybox'), root);
    const list = await runProgram(join(root, 'bin/busybox'), ['--list'], { timeoutMs: unpackTimeoutMs, hint });
    for (const name of list.split('\n').filter((entry) => entry !== 'busybox')) {
      await symlink('busybox', join(root, 'bin', name));
    }
    await runProgram('tar', ['--owner=0', '--group=0', '-C', root, '-cf', target, '.'], {
      timeoutMs: unpackTimeoutMs,
      hint,
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function findFile(folder: string, pattern: string): string {
  const [file] = globSync(pattern, { cwd: folder });
  if (file !== undefined) return join(folder, file);
  throw new StepError(
    `the package ${busyboxRecipe.package} of this system brought no ${pattern}`,
    'This is written for Debian 12: mend scripts/services/debian-roots.ts for this system.',
  );
}

async function layOutBusybox(program: string, root: string): Promise<void> {
  for (const folder of ['bin', 'dev', 'etc', 'proc', 'root', 'sys', 'tmp', 'var']) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await chmod(join(root, 'tmp'), 0o1777);
  await copyFile(program, join(root, 'bin/busybox'));
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n');
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\n');
}
