import { contentHash, type JsonObject, type JsonValue } from '@talaria/core';
import type { RunResult, SandboxHandle } from '@talaria/terminal-backends';
import { toolFromOptions } from '../define-tool.ts';
import { pathProblem } from '../files/path-problem.ts';
import { describeFailure, isSandboxLost } from '../sandbox-failure.ts';
import type { Tool, ToolCallContext, ToolErrorKind, ToolResult } from '../tool.ts';
import { markedResult } from '../tool-result.ts';
import type { ToolStateKey } from '../tool-state.ts';
import { cleanOutput } from './clean-output.ts';
import { exitCodeMeaning, isLongLivedCommand } from './exit-code-meaning.ts';
import { maxRunning, processTable } from './process-table.ts';
import { usableTimeMs } from './usable-time.ts';

/** Bytes of output taken from the sandbox: more than is shown, since control sequences are removed first. */
const maxOutputBytes = 4_194_304;

interface TerminalArguments {
  readonly command: string;
  readonly background?: boolean;
  readonly timeout?: number;
  readonly workdir?: string;
  readonly pty?: boolean;
}

/** Runs a shell command in the sandbox, to its end or in the background. */
export const terminalTool: Tool = toolFromOptions<TerminalArguments>({
  name: 'terminal',
  toolset: 'terminal',
  sideEffect: 'sandbox',
  timeoutMs: Number.POSITIVE_INFINITY,
  description: (tools) =>
    'Run a bash command. The working folder, exported variables and functions stay from one call to the next.' +
    (tools.has('process')
      ? ' Start servers and watchers with background=true and look after them with the process tool.'
      : ''),
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The command, or several lines of them', pattern: '\\S' },
      background: {
        type: 'boolean',
        default: false,
        description: 'Start it and return at once with a session_id',
      },
      timeout: { type: 'integer', minimum: 1, description: 'Seconds until the command is stopped' },
      workdir: { type: 'string', description: 'Folder for this command only' },
      pty: { type: 'boolean', default: false, description: 'Give a background command a terminal of its own' },
    },
    required: ['command'],
  },
  shellCommand: ({ command }) => command,
  async execute(args, context) {
    const problem = args.workdir === undefined ? undefined : pathProblem(args.workdir);
    if (problem !== undefined) return failedCommand('invalid_args', problem);
    const sandbox = await context.sandbox();
    try {
      const workdir = args.workdir === undefined ? undefined : await checkWorkdir(sandbox, args.workdir, context);
      if (typeof workdir === 'object') return workdir;
      return args.background === true
        ? await startInBackground(args, workdir, sandbox, context)
        : await runInForeground(args, workdir, sandbox, context);
    } catch (error) {
      if (context.signal.aborted || isSandboxLost(error)) throw error;
      const { kind, message } = describeFailure(error);
      return failedCommand(kind, message);
    }
  },
});

function failedCommand(kind: ToolErrorKind, error: string): ToolResult {
  return markedResult({ output: '', exit_code: -1, error }, kind);
}

async function checkWorkdir(
  sandbox: SandboxHandle,
  workdir: string,
  { signal }: ToolCallContext,
): Promise<string | ToolResult> {
  const path = await sandbox.resolvePath(workdir);
  const stat = await sandbox.stat(path, { signal });
  if (stat?.kind === 'directory') return path;
  const problem = stat === null ? 'does not exist' : 'is not a folder';
  return failedCommand('not_found', `The workdir ${workdir} ${problem}. The command was not run.`);
}

async function startInBackground(
  { command, pty = false }: TerminalArguments,
  cwd: string | undefined,
  sandbox: SandboxHandle,
  { state, signal }: ToolCallContext,
): Promise<JsonValue | ToolResult> {
  const table = state.get(processTable);
  if (table.runningCount >= maxRunning) {
    return failedCommand(
      'not_available',
      `${maxRunning} background processes are running already. End one of them first.`,
    );
  }
  const process = await sandbox.spawn(command, { cwd, pty: pty && sandbox.capabilities.pty, signal });
  table.add(process);
  return {
    output: 'Background process started',
    session_id: process.id,
    pid: process.pid,
    exit_code: 0,
    error: null,
    ...(pty && !sandbox.capabilities.pty ? { notes: ['pty is not available here; started without one'] } : {}),
  };
}

async function runInForeground(
  args: TerminalArguments,
  cwd: string | undefined,
  sandbox: SandboxHandle,
  context: ToolCallContext,
): Promise<ToolResult> {
  const { settings, signal } = context;
  const cwdBefore = sandbox.cwd;
  const { timeoutMs, timeoutNote } = timeoutOf(args, context);
  const result = await sandbox.run(args.command, { cwd, timeoutMs, maxOutputBytes, signal });
  const { exitCode, error, kind } = verdictOf(result);
  const output = cleanOutput(result.output, {
    maxChars: settings.maxOutputChars,
    collapseCarriageReturns: settings.collapseCarriageReturns,
  });
  const meaning = exitCodeMeaning(args.command, exitCode);
  const notes = notesOf({ args, result, output, exitCode }, context);
  const content: JsonObject = {
    output,
    exit_code: exitCode,
    error,
    ...(meaning === undefined ? {} : { exit_code_meaning: meaning }),
    ...(timeoutNote === undefined ? {} : { timeout_note: timeoutNote }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(result.cwd === cwdBefore ? {} : { cwd: result.cwd }),
  };
  return markedResult(content, kind);
}

function timeoutOf(
  { timeout }: TerminalArguments,
  context: ToolCallContext,
): { readonly timeoutMs: number; readonly timeoutNote?: string } {
  const { settings } = context;
  const mostMs = Math.min(settings.maxForegroundMs, usableTimeMs(context));
  const askedMs = timeout === undefined ? settings.terminalTimeoutMs : timeout * 1_000;
  if (askedMs <= mostMs || timeout === undefined) return { timeoutMs: Math.min(askedMs, mostMs) };
  return {
    timeoutMs: mostMs,
    timeoutNote: `A timeout of ${timeout} s was asked for; at most ${mostMs / 1_000} s are possible. Use background=true for longer work.`,
  };
}

function verdictOf(result: RunResult): {
  readonly exitCode: number;
  readonly error: string | null;
  readonly kind: ToolErrorKind | null;
} {
  switch (result.kind) {
    case 'exited':
      return { exitCode: result.exitCode, error: null, kind: null };
    case 'timed-out': {
      const seconds = result.timeoutMs / 1_000;
      return {
        exitCode: 124,
        error: `The command was stopped after ${seconds} s. Give it a longer timeout, less to do, or background=true.`,
        kind: 'timeout',
      };
    }
    case 'interrupted':
      return { exitCode: 130, error: 'The command was interrupted before it ended.', kind: 'interrupted' };
  }
}

/** How often in a row the same command gave the same. */
const sameResults: ToolStateKey<{ key: string; count: number }> = {
  name: 'terminal-same-results',
  create: () => ({ key: '', count: 0 }),
};

interface FinishedCommand {
  readonly args: TerminalArguments;
  readonly result: RunResult;
  readonly output: string;
  readonly exitCode: number;
}

function notesOf({ args, result, output, exitCode }: FinishedCommand, context: ToolCallContext): readonly string[] {
  const notes: string[] = [];
  if (result.truncatedBytes > 0) notes.push(`${result.truncatedBytes} bytes in the middle of the output were not kept`);
  if (args.pty === true) notes.push('pty is only used with background=true');
  if (result.kind === 'timed-out' && isLongLivedCommand(args.command)) {
    notes.push('This looks like a program that runs until it is stopped: start it with background=true');
  }
  const same = context.state.get(sameResults);
  const key = contentHash(`${exitCode}\0${output}`);
  same.count = context.repeatCount > 1 && same.key === key ? same.count + 1 : 1;
  same.key = key;
  if (same.count >= 3 && context.settings.repeatPolicy !== 'off')
    notes.push(`This command gave the same result ${same.count} times in a row`);
  for (const entry of context.state.get(processTable).entries) {
    const { exit, id } = entry.process;
    if (exit === null || entry.isAnnounced) continue;
    entry.isAnnounced = true;
    notes.push(`background ${id} exited with code ${exit.exitCode}`);
  }
  return notes;
}
