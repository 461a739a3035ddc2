import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSemaphore, quoteShell, type Semaphore } from '@talaria/core';
import { watchBackgroundProcess } from '../background-process.ts';
import { checkLimits } from '../check-limits.ts';
import type { RunOptions, RunResult, SandboxProcess, SpawnOptions } from '../sandbox.ts';
import { checkVariables } from '../sandbox-environment.ts';
import type { ShellState } from '../shell-state.ts';
import { callValuePrefix, execVariable, type ShellCall, sandboxVariable, wrapCommand } from '../shell-wrapper.ts';
import { startChild } from './child-process.ts';
import { explainRefusal } from './explain-refusal.ts';
import type { HostPrograms } from './host-programs.ts';
import { limitMarkOf } from './limit-mark.ts';
import { inFileOperation, localError } from './local-error.ts';
import { type ChildOutcome, endChild, type ProcessTools, type RunChildRequest, runChild } from './run-child.ts';
import { resolveSandboxPath } from './sandbox-path.ts';

/** Where the commands of one sandbox run, and with what. */
export interface CommandPlace {
  readonly sandboxId: string;
  readonly home: string;
  /** Folder for what only the sandbox itself writes. */
  readonly stateFolder: string;
  /** Variables of a process that does not take part in the shell state. */
  readonly environment: Readonly<Record<string, string>>;
  readonly defaultTimeoutMs: number;
  readonly programs: HostPrograms;
  readonly state: ShellState;
  readonly tools: ProcessTools;
}

const defaultOutputBytes = 10_485_760;
const maxStatelessAtOnce = 8;
/** Linux takes 131,072 bytes for one argument; a longer script goes by a file. */
const maxArgumentBytes = 120_000;
const neutralFolder = '/';

/** Runs the commands of one sandbox. The caller keeps count of what is in flight; signals must end with the sandbox. */
export class LocalCommands {
  readonly #place: CommandPlace;
  readonly #foreground: Semaphore = createSemaphore(1);
  readonly #stateless: Semaphore = createSemaphore(maxStatelessAtOnce);
  readonly #limitMark: string;
  #cwd: string;
  #hasStarted = false;

  constructor(place: CommandPlace, cwd: string) {
    this.#place = place;
    this.#limitMark = limitMarkOf(place.sandboxId);
    this.#cwd = cwd;
  }

  /** The tracked working folder. */
  get cwd(): string {
    return this.#cwd;
  }

  /** Whether any process was ever started. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  async run(command: string, options: RunOptions, signal: AbortSignal): Promise<RunResult> {
    refuseNul([command]);
    checkVariables(options.env ?? {});
    checkLimits(options);
    using _place = await (options.isStateless ? this.#stateless : this.#foreground).acquire(signal);
    const execId = newExecId();
    const cwd = await this.#startFolder(options.cwd);
    // To tell whether a command that was sent elsewhere moved by itself.
    const sentTo = options.cwd === undefined ? null : await realpath(cwd).catch(() => cwd);
    const keepsState = options.isStateless !== true;
    const { state } = this.#place;
    const places = keepsState ? state.prepare() : { loadFrom: null, saveTo: null };
    const call: Omit<ShellCall, 'command'> = {
      ...this.#callFacts(execId, cwd, options),
      ...places,
      callVariables: keepsState ? Object.keys(options.env ?? {}) : [],
    };
    await using script = await this.#prepareScript(command, call);
    const outcome = await this.#runChild(
      {
        file: this.#place.programs.bash,
        args: ['--noprofile', '--norc', '-c', script.text, 'bash'],
        environment: keepsState ? this.#stateEnvironment(execId, options) : this.#plainEnvironment(execId, options),
        cwd: neutralFolder,
        execId,
      },
      options,
      signal,
    );
    const endedIn = keepsState ? state.adopt(execId) : null;
    if (endedIn !== null && endedIn !== sentTo) this.#cwd = endedIn;
    return this.#toResult(outcome, options);
  }

  async runProgram(words: readonly string[], options: RunOptions, signal: AbortSignal): Promise<RunResult> {
    const [file, ...args] = words;
    if (!file) throw invalidCommand('A program needs a name', 'Give its name as first word.');
    refuseNul(words);
    checkVariables(options.env ?? {});
    checkLimits(options);
    using _place = await this.#stateless.acquire(signal);
    const execId = newExecId();
    const cwd = await this.#startFolder(options.cwd);
    const environment = this.#plainEnvironment(execId, options);
    try {
      const outcome = await this.#runChild({ file, args, environment, cwd, execId }, options, signal);
      return this.#toResult(outcome, options);
    } catch (error) {
      const refusal = await explainRefusal(error, file, cwd, environment['PATH']);
      if (refusal === null) throw error;
      return this.#toResult(refusal, options);
    }
  }

  async spawn(command: string, options: SpawnOptions, signal: AbortSignal): Promise<SandboxProcess> {
    refuseNul([command]);
    checkVariables(options.env ?? {});
    const { programs, tools, state } = this.#place;
    if (options.pty && programs.script === null) {
      throw invalidCommand('There is no terminal to give: the program script is missing', 'Run it without pty.');
    }
    const execId = newExecId();
    const cwd = await this.#startFolder(options.cwd);
    const script = await this.#prepareScript(command, {
      ...this.#callFacts(execId, cwd, options),
      loadFrom: state.prepare().loadFrom,
      saveTo: null,
      callVariables: Object.keys(options.env ?? {}),
    });
    const shell = [programs.bash, '--noprofile', '--norc', '-c', script.text, 'bash'] as const;
    const [file, ...args] = options.pty && programs.script !== null ? inTerminal(programs.script, shell) : shell;
    const environment = this.#stateEnvironment(execId, options);
    try {
      signal.throwIfAborted();
      this.#hasStarted = true;
      const child = await startChild(
        { file, args, environment, cwd: neutralFolder, stdin: 'pipe', mergeStderr: true },
        tools.pool,
      );
      const id = `proc_${randomBytes(6).toString('hex')}`;
      const source = {
        ...child,
        async release() {
          child.release();
          await script[Symbol.asyncDispose]();
        },
        end: (graceMs: number) => endChild(child, { execId }, graceMs, tools),
      };
      const started = watchBackgroundProcess(source, { kind: 'local', id, command, cwd }, tools.clock);
      if (!signal.aborted) return started;
      await endChild(child, { execId }, tools.killGraceMs, tools);
      throw signal.reason;
    } catch (error) {
      await script[Symbol.asyncDispose]();
      throw error;
    }
  }

  #startFolder(cwd: string | undefined): Promise<string> | string {
    return cwd === undefined ? this.#cwd : resolveSandboxPath(cwd, this.#cwd, this.#place.home);
  }

  #callFacts(
    execId: string,
    cwd: string,
    options: { readonly cwd?: string | undefined },
  ): Pick<ShellCall, 'execId' | 'sandboxId' | 'limitMark' | 'cwd' | 'missingCwd'> {
    const missingCwd = options.cwd === undefined ? 'ancestor' : 'fail';
    return { execId, sandboxId: this.#place.sandboxId, limitMark: this.#limitMark, cwd, missingCwd };
  }

  /** A script in a file must stay until bash has read it. */
  async #prepareScript(
    command: string,
    call: Omit<ShellCall, 'command'>,
  ): Promise<{ readonly text: string } & AsyncDisposable> {
    const text = wrapCommand({ ...call, command: { text: command } });
    if (Buffer.byteLength(text) <= maxArgumentBytes) return { text, [Symbol.asyncDispose]: async () => undefined };
    const file = join(this.#place.stateFolder, `command-${call.execId}`);
    await this.#writePrivately(file, command);
    return {
      text: wrapCommand({ ...call, command: { file } }),
      // One that cannot be removed goes with the sandbox.
      [Symbol.asyncDispose]: () => rm(file, { force: true }).catch(() => undefined),
    };
  }

  /** The saved state holds everything else. */
  #stateEnvironment(execId: string, options: Pick<RunOptions, 'env'>): Record<string, string> {
    const values = Object.values(options.env ?? {}).map(
      (value, index) => [`${callValuePrefix}${index}`, value] as const,
    );
    return { ...Object.fromEntries(values), ...this.#marks(execId) };
  }

  #plainEnvironment(execId: string, options: Pick<RunOptions, 'env'>): Record<string, string> {
    return { ...this.#place.environment, ...options.env, ...this.#marks(execId) };
  }

  #marks(execId: string): Record<string, string> {
    return { [execVariable]: execId, [sandboxVariable]: this.#place.sandboxId };
  }

  async #runChild(
    start: Pick<RunChildRequest, 'file' | 'args' | 'environment' | 'cwd' | 'execId'>,
    options: RunOptions,
    signal: AbortSignal,
  ): Promise<ChildOutcome> {
    const { stdin, timeoutMs, maxOutputBytes = defaultOutputBytes, mergeStderr = true, onOutput } = options;
    await using input = stdin === undefined ? null : await this.#openInput(stdin, start.execId);
    signal.throwIfAborted();
    this.#hasStarted = true;
    return await runChild(
      {
        ...start,
        stdin: input?.fd ?? 'none',
        timeoutMs: timeoutMs ?? this.#place.defaultTimeoutMs,
        maxOutputBytes,
        mergeStderr,
        onOutput,
        signal,
      },
      this.#place.tools,
    );
  }

  /**
   * Input goes by a nameless file, not a pipe: the command may read it late, in part, twice (`/dev/stdin`) or not at all
   * without anything to wait for. Opening a pipe again by name waits for a writer, which has gone by then.
   */
  async #openInput(stdin: string | Uint8Array, execId: string): Promise<FileHandle> {
    const path = join(this.#place.stateFolder, `input-${execId}`);
    await this.#writePrivately(path, stdin);
    try {
      return await open(path, 'r');
    } finally {
      await rm(path, { force: true });
    }
  }

  #writePrivately(path: string, content: string | Uint8Array): Promise<void> {
    return inFileOperation('write', path, undefined, () => writeFile(path, content, { mode: 0o600 }));
  }

  #toResult(outcome: ChildOutcome, options: RunOptions): RunResult {
    const { ending, exitCode, ...output } = outcome;
    const known = { ...output, cwd: this.#cwd };
    if (ending === 'exited') return { kind: ending, exitCode, ...known };
    if (ending === 'interrupted') return { kind: ending, ...known };
    return { kind: ending, timeoutMs: options.timeoutMs ?? this.#place.defaultTimeoutMs, ...known };
  }
}

function newExecId(): string {
  return randomBytes(16).toString('hex');
}

/** Rows and columns that terminal programs are to see. */
const terminalSize = 'stty rows 30 cols 120 2>/dev/null';

function inTerminal(script: string, shell: readonly string[]): readonly [string, ...string[]] {
  return [script, '-qfec', `${terminalSize}; exec ${quoteShell(shell)}`, '/dev/null'];
}

function refuseNul(words: readonly string[]): void {
  if (!words.some((word) => word.includes('\0'))) return;
  throw invalidCommand('A command cannot hold a NUL character', 'Pass binary data by standard input or by a file.');
}

function invalidCommand(message: string, hint: string): unknown {
  return localError(message, { code: 'sandbox.invalid-command', phase: 'exec', started: false, hint });
}
