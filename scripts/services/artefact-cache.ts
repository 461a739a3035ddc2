import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { StepError } from './step-error.ts';

/** Keeps what is slow to make, outside the checkout, for all checkouts of this account. */
export interface ArtefactCache {
  readonly folder: string;
  /**
   * The path of a file or folder, which `build` makes at the path that it is given, unless it is there. It gets its name
   * only when it is whole. Two at once in one process share the work; of two processes, the later discards its own.
   */
  make(name: string, build: (path: string) => Promise<void>): Promise<string>;
}

/** `TALARIA_SERVICES_CACHE`, or `talaria-services` in the account's folder of caches. */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const { TALARIA_SERVICES_CACHE: own, XDG_CACHE_HOME: caches } = environment;
  return own || join(caches || join(homedir(), '.cache'), 'talaria-services');
}

export async function openArtefactCache(folder: string): Promise<ArtefactCache> {
  try {
    await mkdir(folder, { recursive: true });
    await removeAbandoned(folder);
  } catch (error) {
    throw new StepError(
      `the folder ${folder} cannot be used as a cache: ${error}`,
      'Name another by the variable TALARIA_SERVICES_CACHE.',
      { cause: error },
    );
  }
  const running = new Map<string, Promise<string>>();
  return {
    folder,
    make(name, build) {
      const path = join(folder, name);
      if (existsSync(path)) return Promise.resolve(path);
      const made = running.get(name) ?? buildAt(path, join(folder, `${name}.${process.pid}.part`), build);
      running.set(name, made);
      return made;
    },
  };
}

async function buildAt(path: string, part: string, build: (path: string) => Promise<void>): Promise<string> {
  try {
    await build(part);
    await rename(part, path);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    // A folder does not take the place of one that another process made meanwhile: that one is as good.
    if (!existsSync(path)) throw error;
  }
  return path;
}

/** Parts whose maker is gone: it was killed. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const maker = /\.(\d+)\.part$/.exec(name)?.[1];
    if (maker === undefined || isRunning(Number(maker))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and another account's.
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM';
  }
}
