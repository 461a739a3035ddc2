import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandboxLease, type SandboxHandle } from '@talaria/terminal-backends';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createToolContext, type ToolContext } from '@talaria/tool-context';
import { createStubTools } from './stub-sandbox.ts';

/** A context over a real sandbox on this machine, and a folder of the host beside it. */
export interface LocalContext extends AsyncDisposable {
  readonly context: ToolContext;
  readonly sandbox: SandboxHandle;
  /** Another context over the same sandbox, that the signal stops. */
  contextWith(signal: AbortSignal): ToolContext;
  /** An empty folder of the host. */
  readonly folder: string;
}

export async function openLocalContext(): Promise<LocalContext> {
  const root = await mkdtemp(join(tmpdir(), 'talaria-tool-context-'));
  const folder = await mkdtemp(join(root, 'host-'));
  const backend = createLocalBackend({ stateFolder: join(root, 'state'), environment: process.env });
  const lease = createSandboxLease((signal) => backend.open({ taskId: 'task' }, { signal }));
  const tools = createStubTools({
    read_file: '{"content":"     1|a","total_lines":1,"file_size":2}',
    web_search: 'no JSON',
  });
  return {
    context: createToolContext({ taskId: 'task', lease, tools }),
    contextWith: (signal) => createToolContext({ taskId: 'task', lease, tools, signal }),
    sandbox: await lease.open(),
    folder,
    async [Symbol.asyncDispose]() {
      await lease[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}
