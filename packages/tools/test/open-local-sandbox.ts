import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '@talaria/terminal-backends';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createTestDispatcher, type TestDispatcher, type TestDispatcherOptions } from '@talaria/tools/testing';

/** A real sandbox on this machine, removed with everything in it. */
export interface LocalTools extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly tools: TestDispatcher;
}

/** What {@link openLocalTools} takes beside what a dispatcher does. */
export interface LocalToolsOptions extends Omit<TestDispatcherOptions, 'sandbox'> {
  /** Programs that the sandbox does not find. @default none */
  readonly hiddenPrograms?: readonly string[] | undefined;
}

/** Opens a sandbox and a dispatcher of all built-in tools over it. */
export async function openLocalTools(options: LocalToolsOptions = {}): Promise<LocalTools> {
  const { hiddenPrograms = [], ...dispatcherOptions } = options;
  const folder = await mkdtemp(join(tmpdir(), 'talaria-tools-'));
  const path =
    hiddenPrograms.length === 0 ? process.env['PATH'] : await linkPrograms(join(folder, 'bin'), hiddenPrograms);
  const backend = createLocalBackend({
    stateFolder: join(folder, 'state'),
    environment: { ...process.env, PATH: path },
  });
  const sandbox = await backend.open({ taskId: 'task' });
  const tools = createTestDispatcher({ ...dispatcherOptions, sandbox });
  return {
    sandbox,
    tools,
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A folder with links to all programs of the system but some. */
async function linkPrograms(folder: string, hidden: readonly string[]): Promise<string> {
  await mkdir(folder);
  const names = await readdir('/usr/bin');
  await Promise.all(
    names
      .filter((name) => !hidden.some((program) => name === program || name.startsWith(`${program}.`)))
      .map((name) => symlink(join('/usr/bin', name), join(folder, name))),
  );
  return folder;
}
