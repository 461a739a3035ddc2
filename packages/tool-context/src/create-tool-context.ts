import { type JsonObject, SandboxError, settleWithin } from '@talaria/core';
import type { FileContent, RunOptions, RunResult, SandboxHandle } from '@talaria/terminal-backends';
import type { ToolCallOutcome } from '@talaria/tools';
import { exitCodeOf, type FinishedRun, runCommand } from './run-command.ts';
import { createSandboxAccess } from './sandbox-access.ts';
import { searchFiles } from './search-files.ts';
import type { CommandOptions, ToolContext } from './tool-context.ts';
import { resolveSettings, type ToolContextOptions, type ToolContextSettings } from './tool-context-options.ts';
import { downloadFile, downloadFolder, uploadFile, uploadFolder } from './transfer-files.ts';
import { createWebAccess } from './web-access.ts';

/**
 * Creates what a reward function holds. Its methods go to the sandbox itself, not through the model's tools. They do not
 * depend on `this`. Make one per phase: `isCreatedByVerifier` tells of openings through this one.
 *
 * @throws ConfigError `config.invalid` for limits that are none
 */
export function createToolContext(options: ToolContextOptions): ToolContext {
  const settings = resolveSettings(options);
  const { taskId, lease, tools, signal, maxOutputBytes } = settings;
  const access = createSandboxAccess(lease, signal);
  let cleanup: Promise<void> | undefined;

  async function run(
    commandOptions: CommandOptions,
    start: (sandbox: SandboxHandle, runOptions: RunOptions) => Promise<RunResult>,
  ): Promise<FinishedRun> {
    const sandbox = await access.open();
    return runCommand(sandbox, settings, commandOptions, (runOptions) => start(sandbox, runOptions));
  }

  function runProgram(words: readonly string[], commandOptions: CommandOptions = {}): Promise<FinishedRun> {
    return run(commandOptions, (sandbox, runOptions) =>
      sandbox.runProgram(words, { ...runOptions, mergeStderr: false }),
    );
  }

  async function callTool(name: string, args: JsonObject): Promise<ToolCallOutcome> {
    signal?.throwIfAborted();
    const call = {
      id: settings.createId('call'),
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(args) },
    };
    return await access.watch(() => tools.dispatch(call, { signal }));
  }

  async function stat(path: string): ReturnType<ToolContext['stat']> {
    return (await access.open()).stat(path, { signal });
  }

  return {
    taskId,
    async terminal(command, commandOptions = {}) {
      const result = await run(commandOptions, (sandbox, runOptions) => sandbox.run(command, runOptions));
      return { output: result.output, ...endOf(result) };
    },
    async exec(words, commandOptions) {
      const result = await runProgram(words, commandOptions);
      return { stdout: result.output, stderr: result.stderr, ...endOf(result) };
    },
    async readText(path) {
      const sandbox = await access.open();
      return decodeWhole(sandbox, path, await sandbox.readFile(path, { signal }));
    },
    async readBytes(path, { maxBytes = maxOutputBytes } = {}) {
      return (await access.open()).readFile(path, { maxBytes, signal });
    },
    async writeFile(path, content) {
      await (await access.open()).writeFile(path, content, { signal });
    },
    async exists(path) {
      return (await stat(path)) !== null;
    },
    stat,
    async search(pattern, { path = '.', limit = 50 } = {}) {
      return searchFiles(await access.open(), { pattern, path, limit, signal }, runProgram);
    },
    async uploadFile(hostPath, path) {
      return uploadFile(await access.open(), hostPath, path, signal);
    },
    async uploadFolder(hostPath, path) {
      return uploadFolder(await access.open(), hostPath, path, signal);
    },
    async downloadFile(path, hostPath) {
      return downloadFile(await access.open(), path, hostPath, signal);
    },
    async downloadFolder(path, hostPath) {
      return downloadFolder(await access.open(), path, hostPath, signal);
    },
    callTool,
    ...createWebAccess(callTool),
    sandbox: access.open,
    get isCreatedByVerifier() {
      return access.isOpenedHere;
    },
    cleanup() {
      cleanup ??= endProcesses(settings);
      return cleanup;
    },
  };
}

async function endProcesses({ lease, taskId, cleanupTimeoutMs, logger }: ToolContextSettings): Promise<void> {
  const outcome = await settleWithin(() => lease.killAll(), cleanupTimeoutMs, logger);
  if (outcome !== 'done') logger.warn('tool-context.cleanup-failed', { taskId, outcome });
}

function endOf(result: FinishedRun): {
  readonly exitCode: number;
  readonly isTimedOut: boolean;
  readonly isTruncated: boolean;
} {
  return {
    exitCode: exitCodeOf(result),
    isTimedOut: result.kind === 'timed-out',
    isTruncated: result.truncatedBytes > 0,
  };
}

/** A reward function that compares text must not be given a part of it. */
function decodeWhole(sandbox: SandboxHandle, path: string, content: FileContent): string {
  if (!content.isTruncated) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(content.bytes);
  throw new SandboxError(`${path} has ${content.sizeBytes} bytes: too many for readText`, {
    code: 'sandbox.too-large',
    backend: sandbox.kind,
    phase: 'transfer',
    started: false,
    hint: 'Read a part with readBytes, or look at it with a command.',
  });
}
