import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, contentHash, createId, errorMessage } from '@talaria/core';
import { openSandboxRoot } from '../sandbox-root/open-sandbox-root.ts';
import type { RootIsolation, SandboxRoot } from '../sandbox-root/sandbox-root.ts';
import { buildLayer } from './build-layer.ts';
import { CallError } from './call-error.ts';
import { type ImageRecipe, parseDockerfile } from './dockerfile.ts';
import type { FaultOf, FaultPlan } from './modal-fault.ts';

/** What an image gives to a sandbox. */
export interface ModalImage {
  readonly id: string;
  /** Host folder with its files; `undefined` where it has none of its own: all that is not built here is the host's. */
  readonly folder: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly workdir: string;
}

/** How far a build is. Its status as on the wire: 0 running, 1 done, 2 failed, 3 terminated, 4 timed out. */
export interface ImageBuild {
  readonly id: string;
  readonly result: { readonly status: number; readonly exception: string };
  /** Lines of the log so far. */
  readonly logLines: readonly string[];
  /** Resolves when the next line is there or the build is over. */
  changed(): Promise<void>;
}

/** The images of a double. Disposing removes their files. */
export interface ImageStore extends AsyncDisposable {
  /** Starts a build, or gives the one that had the same commands on the same base. */
  build(commands: readonly string[], baseId: string | undefined, options: { readonly force: boolean }): ImageBuild;
  /** @throws CallError `NOT_FOUND` */
  buildOf(id: string): ImageBuild;
  /** A finished image. @throws CallError `NOT_FOUND` */
  get(id: string): ModalImage;
  remove(id: string): void;
  /** Keeps the files of a sandbox as an image, once per `snapshotId`. */
  snapshot(root: SandboxRoot, from: ModalImage, snapshotId: string, lifetimeMs: number | null): Promise<string>;
}

/** Options of {@link createImageStore}. */
export interface ImageStoreOptions {
  readonly folder: string;
  readonly isolation: RootIsolation;
  readonly faults: FaultPlan;
  readonly clock: Clock;
}

/** Creates an empty store. */
export function createImageStore(options: ImageStoreOptions): ImageStore {
  const images = new Map<string, ModalImage>();
  /** When the service forgets an image, in milliseconds since 1970. */
  const expiries = new Map<string, number>();
  const builds = new Map<string, ImageBuild>();
  const byRecipe = new Map<string, ImageBuild>();
  const snapshots = new Map<string, Promise<string>>();
  const roots: SandboxRoot[] = [];
  const running = new Set<Promise<void>>();

  function get(id: string): ModalImage {
    const image = images.get(id);
    const isOver = (expiries.get(id) ?? Number.POSITIVE_INFINITY) <= options.clock.now();
    if (!image || isOver) throw new CallError('NOT_FOUND', `Could not find image with ID ${id}`);
    return image;
  }

  async function make(id: string, recipe: ImageRecipe, base: ModalImage | undefined, log: Log): Promise<void> {
    const environment = { ...base?.environment, ...recipe.environment };
    const workdir = recipe.workdir ?? base?.workdir ?? '/root';
    let folder = base?.folder;
    if (recipe.steps.length > 0) {
      const root = await openSandboxRoot({ copyOf: folder, isolation: options.isolation });
      roots.push(root);
      await buildLayer(root, recipe.steps, { environment, workdir, log });
      await root.stop();
      folder = root.folder;
    }
    images.set(id, { id, folder, environment, workdir });
  }

  function start(commands: readonly string[], baseId: string | undefined): ImageBuild {
    const id = newImageId();
    const base = baseId === undefined ? undefined : get(baseId);
    const { build, log, finish } = createBuild(id);
    const fault = options.faults.take('build', 'ImageGetOrCreate', '');
    const work = fault
      ? Promise.resolve(failOnDemand(fault, log, finish))
      : make(id, parseDockerfile(commands), base, log).then(
          () => finish(1, ''),
          (error: unknown) => finish(2, errorMessage(error)),
        );
    running.add(work);
    void work.then(() => running.delete(work));
    builds.set(id, build);
    return build;
  }

  async function copyFiles(root: SandboxRoot, from: ModalImage, lifetimeMs: number | null): Promise<string> {
    const id = newImageId();
    const folder = join(options.folder, id);
    await mkdir(folder, { recursive: true });
    await promisify(execFile)('cp', ['-a', '--reflink=auto', '--', `${root.folder}/.`, folder]);
    images.set(id, { ...from, id, folder });
    if (lifetimeMs !== null) expiries.set(id, options.clock.now() + lifetimeMs);
    return id;
  }

  return {
    build(commands, baseId, { force }) {
      const recipe = contentHash([baseId ?? '', ...commands]);
      const known = byRecipe.get(recipe);
      // What failed is tried again.
      if (known && known.result.status <= 1 && !force) return known;
      const build = start(commands, baseId);
      byRecipe.set(recipe, build);
      return build;
    },
    buildOf(id) {
      const build = builds.get(id);
      if (!build) throw new CallError('NOT_FOUND', `Could not find image with ID ${id}`);
      return build;
    },
    get,
    remove(id) {
      get(id);
      images.delete(id);
    },
    snapshot(root, from, snapshotId, lifetimeMs) {
      const made = snapshots.get(snapshotId) ?? copyFiles(root, from, lifetimeMs);
      snapshots.set(snapshotId, made);
      return made;
    },
    async [Symbol.asyncDispose]() {
      for (const root of roots) await root.stop();
      await Promise.all(running);
      for (const root of roots) await root[Symbol.asyncDispose]();
    },
  };
}

type Log = (line: string) => void;
type Finish = (status: number, exception: string) => void;

function newImageId(): string {
  return createId('im').replace('_', '-');
}

function createBuild(id: string): { build: ImageBuild; log: Log; finish: Finish } {
  const logLines: string[] = [];
  let result = { status: 0, exception: '' };
  let waiting = Promise.withResolvers<void>();
  const wake = (): void => {
    waiting.resolve();
    waiting = Promise.withResolvers<void>();
  };
  return {
    build: {
      id,
      get result() {
        return result;
      },
      logLines,
      changed: () => waiting.promise,
    },
    log(line) {
      logLines.push(line);
      wake();
    },
    finish(status, exception) {
      result = { status, exception };
      wake();
    },
  };
}

function failOnDemand(fault: FaultOf<'build'>, log: Log, finish: Finish): void {
  for (const line of fault.logLines ?? []) log(line);
  const status = { failed: 2, terminated: 3, 'timed-out': 4 }[fault.outcome ?? 'failed'];
  finish(status, fault.message ?? 'RemoteError: a command of the image ended with exit code 1');
}
