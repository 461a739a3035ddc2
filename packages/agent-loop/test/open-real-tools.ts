import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandboxLease, type SandboxLease } from '@talaria/terminal-backends';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createBuiltinRegistry, createToolDispatcher, type ToolDispatcher } from '@talaria/tools';

/** The real tools in a real sandbox on this machine, which is opened when a tool first needs it. */
export interface RealTools extends AsyncDisposable {
  readonly tools: ToolDispatcher;
  readonly lease: SandboxLease;
  /** A folder of their own, which vanishes with them. */
  readonly folder: string;
}

/** Opens them. */
export async function openRealTools(): Promise<RealTools> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-agent-loop-'));
  const backend = createLocalBackend({ stateFolder: folder, environment: process.env });
  const lease = createSandboxLease((signal) => backend.open({ taskId: 'task' }, { signal }));
  const tools = createToolDispatcher({
    view: createBuiltinRegistry().view({ enabled: ['terminal', 'file'] }),
    sandbox: (signal) => lease.open({ signal }),
    taskId: 'task',
    rolloutId: 'rollout',
  });
  return {
    tools,
    lease,
    folder,
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await lease[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
