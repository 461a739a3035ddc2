import { quoteShell } from '@talaria/core';
import type { Sandbox } from '@talaria/terminal-backends';
import { createTestDispatcher, type TestDispatcher, type TestDispatcherOptions } from '@talaria/tools/testing';

/** A folder of its own in a shared sandbox, and the tools of a rollout that works there. */
export interface ToolPlace extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly tools: TestDispatcher;
  /** Absolute path of the folder, which is the working folder at the start. */
  readonly folder: string;
  /** A file as text. */
  read(path: string): Promise<string>;
}

/** Opens a place for one test. */
export type OpenPlace = (options?: Omit<TestDispatcherOptions, 'sandbox'>) => Promise<ToolPlace>;

/** Opens places in a sandbox, numbered by `count`. */
export async function openPlace(
  sandbox: Sandbox,
  count: number,
  options: Omit<TestDispatcherOptions, 'sandbox'> = {},
): Promise<ToolPlace> {
  const folder = `${sandbox.temporaryFolder}/place-${count}`;
  const quoted = quoteShell([folder]);
  await sandbox.run(`mkdir -p ${quoted} && cd ${quoted}`);
  const tools = createTestDispatcher({ ...options, sandbox });
  return {
    sandbox,
    tools,
    folder,
    read: async (path) => Buffer.from((await sandbox.readFile(`${folder}/${path}`)).bytes).toString('utf8'),
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await sandbox.run(`cd /; chmod -R u+rwX ${quoted}; rm -rf ${quoted}`);
    },
  };
}
