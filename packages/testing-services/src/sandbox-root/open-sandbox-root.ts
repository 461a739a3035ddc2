import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { killBelow, launchOnHost, signalNumber } from './folder-root.ts';
import { enterNamespace, type Namespace } from './namespace-root.ts';
import { copyRootFolder, makeRootFolder } from './root-folder.ts';
import { resolveInRoot } from './root-path.ts';
import { type ProcessStart, startProcess, startProgram } from './root-process.ts';
import type { RootIsolation, RootProgram, RootSpawnOptions, SandboxRoot, SandboxRootOptions } from './sandbox-root.ts';

/** Makes the files of a sandbox and starts it. */
export async function openSandboxRoot(options: SandboxRootOptions = {}): Promise<SandboxRoot> {
  const { folders = [], allowNetwork = true, copyOf, isolation } = options;
  const folder = copyOf === undefined ? await makeRootFolder(folders) : await copyRootFolder(copyOf);
  try {
    const opener = isolation === 'folder' ? null : await firstOpener(folder, allowNetwork, isolation);
    return createRoot(folder, opener);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** What {@link openSandboxRoot} gives on this machine where it may choose. */
export async function probeIsolation(): Promise<RootIsolation> {
  await using root = await openSandboxRoot();
  return root.isolation;
}

/** Enters namespaces again and again, the way that worked first. */
interface Opener {
  readonly first: Namespace;
  readonly again: () => Promise<Namespace>;
}

async function firstOpener(
  folder: string,
  allowNetwork: boolean,
  isolation: RootIsolation | undefined,
): Promise<Opener | null> {
  let reason: unknown = 'namespaces exist on Linux only';
  for (const asUser of waysIn()) {
    const again = (): Promise<Namespace> => enterNamespace({ folder, allowNetwork, asUser });
    try {
      return { first: await again(), again };
    } catch (error) {
      reason = error;
    }
  }
  if (isolation === undefined) return null;
  throw new Error('This machine does not let us make namespaces', { cause: reason });
}

/** Root may do it as it is, unless it is that of a container; everybody else needs a user namespace. */
function waysIn(): readonly boolean[] {
  if (process.platform !== 'linux') return [];
  return process.getuid?.() === 0 ? [false, true] : [true];
}

function createRoot(folder: string, opener: Opener | null): SandboxRoot {
  const isolation: RootIsolation = opener === null ? 'folder' : 'namespace';
  const programs = new Set<RootProgram>();
  let namespace = opener?.first;
  let isRunning = true;

  async function stop(): Promise<void> {
    isRunning = false;
    if (opener === null) {
      for (const one of programs) signalNumber(-one.pid, 'SIGKILL');
      await killBelow(folder);
    } else {
      await namespace?.end();
      namespace = undefined;
    }
    await Promise.all([...programs].map((one) => one.exited));
  }

  async function run<Started extends RootProgram>(
    words: readonly string[],
    spawnOptions: RootSpawnOptions,
    start: (launch: ProcessStart) => Promise<Started>,
  ): Promise<Started> {
    if (!isRunning) throw Object.assign(new Error('The sandbox is stopped'), { code: 'ESRCH' });
    const launch = namespace?.launch ?? launchOnHost;
    const started = await start(launch(words, spawnOptions));
    programs.add(started);
    void started.exited.then(() => programs.delete(started));
    // Stopped while it started: with namespaces it is dead already, on the host nobody else knows it.
    if (!isRunning) await started.signal('SIGKILL');
    return started;
  }

  return {
    isolation,
    folder,
    get isRunning() {
      return isRunning;
    },
    placeOf: (path) => (isolation === 'namespace' ? path : join(folder, path)),
    resolve(path, { isLink = false } = {}) {
      // Through the first process, so that what is mounted inside is there too.
      const root = isolation === 'folder' ? '/' : namespace === undefined ? folder : `/proc/${namespace.pid}/root`;
      return resolveInRoot(root, path, isLink);
    },
    spawn: (words, spawnOptions) => run(words, spawnOptions, startProcess),
    spawnOn: (descriptors, words, spawnOptions) =>
      run(words, spawnOptions, (launch) => startProgram(launch, descriptors)),
    stop,
    async start() {
      if (isRunning) return;
      namespace = await opener?.again();
      isRunning = true;
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
