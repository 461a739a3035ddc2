import { mkdtemp, rm } from 'node:fs/promises';
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

/** Opens a sandbox and a dispatcher of all built-in tools over it. */
export async function openLocalTools(
  options: Omit<TestDispatcherOptions, 'sandbox'> = {},
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<LocalTools> {
  const stateFolder = await mkdtemp(join(tmpdir(), 'talaria-tools-'));
  const backend = createLocalBackend({ stateFolder, environment });
  const sandbox = await backend.open({ taskId: 'task' });
  const tools = createTestDispatcher({ ...options, sandbox });
  return {
    sandbox,
    tools,
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
      await rm(stateFolder, { recursive: true, force: true });
    },
  };
}
