import type { RunResult, Sandbox } from '@talaria/terminal-backends';
import type { ToolDispatcher } from '@talaria/tools';

function notUsed(): never {
  throw new Error('This test does not expect the call');
}

/** A sandbox of which a test says what it does; everything else fails the test. */
export function createStubSandbox(methods: Partial<Sandbox>): Sandbox {
  return {
    id: 'stub',
    kind: 'docker',
    capabilities: {
      isolation: 'container',
      keepsShellState: true,
      stdin: true,
      pty: false,
      network: 'fixed',
      snapshot: false,
      resourceLimits: false,
      images: true,
    },
    home: '/root',
    temporaryFolder: '/tmp',
    cwd: '/root',
    run: notUsed,
    runProgram: notUsed,
    spawn: notUsed,
    resolvePath: async (path) => path,
    readFile: notUsed,
    writeFile: notUsed,
    stat: notUsed,
    list: notUsed,
    makeDirectory: notUsed,
    remove: notUsed,
    move: notUsed,
    upload: notUsed,
    download: notUsed,
    openRead: notUsed,
    ping: async () => true,
    killAll: notUsed,
    [Symbol.asyncDispose]: notUsed,
    ...methods,
  };
}

/** Fields of a result that a test does not look at. */
export const quietRun: Omit<Extract<RunResult, { kind: 'interrupted' }>, 'kind'> = {
  output: '',
  outputBytes: new Uint8Array(),
  stderr: '',
  truncatedBytes: 0,
  durationMs: 0,
  cwd: '/root',
};

/** A dispatcher whose tools answer with given text. */
export function createStubTools(contents: Readonly<Record<string, string>> = {}): ToolDispatcher & {
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
} {
  const calls: { name: string; arguments: string }[] = [];
  return {
    calls,
    definitions: [],
    isParallelSafe: () => false,
    async dispatch(call) {
      calls.push({ ...call.function });
      const content = contents[call.function.name];
      return {
        toolCallId: call.id,
        toolName: call.function.name,
        content: content ?? JSON.stringify({ error: 'Unknown tool', error_kind: 'unknown_tool' }),
        isError: content === undefined,
        errorKind: content === undefined ? 'unknown_tool' : null,
        durationMs: 0,
        coercions: [],
        storedAt: null,
      };
    },
    limitTurn: async (outcomes) => outcomes,
  };
}
