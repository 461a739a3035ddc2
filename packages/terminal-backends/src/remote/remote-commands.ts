import { randomBytes } from 'node:crypto';
import { createSemaphore, quoteShell, type Semaphore } from '@talaria/core';
import { keptProcessBytes, watchBackgroundProcess } from '../background-process.ts';
import { checkLimits } from '../check-limits.ts';
import { createOutputCollector } from '../output-collector.ts';
import type { RunOptions, RunResult, SandboxProcess, SpawnOptions } from '../sandbox.ts';
import { checkVariables } from '../sandbox-environment.ts';
import type { ChannelOutcome, ChannelRequest } from './command-channel.ts';
import { buildCommandText, type CommandText } from './command-text.ts';
import { shellWords } from './direct-runner.ts';
import { endSurely } from './end-surely.ts';
import { explainLoss } from './explain-loss.ts';
import { remoteError } from './remote-error.ts';
import type { RemotePlace } from './remote-place.ts';
import { sendRequest } from './send-request.ts';
import { startSurely } from './start-surely.ts';
import { placeFiles } from './state-files.ts';

const defaultOutputBytes = 10_485_760;
/** Files of the state take turns, so that a command that dies while it saves spoils only its own. */
const stateFileCount = 8;

/** Runs the commands of one remote sandbox. The caller keeps count of what is in flight. */
export class RemoteCommands {
  readonly #place: RemotePlace;
  readonly #foreground: Semaphore = createSemaphore(1);
  #cwd: string;
  #stateIndex = 0;

  constructor(place: RemotePlace, cwd: string) {
    this.#place = place;
    this.#cwd = cwd;
  }

  /** The tracked working folder. */
  get cwd(): string {
    return this.#cwd;
  }

  async run(command: string, options: RunOptions, signal: AbortSignal): Promise<RunResult> {
    this.#refuseNul([command]);
    const keepsState = options.isStateless !== true && this.#place.shell === 'bash';
    if (options.isStateless) return await this.#call(command, options, signal, keepsState);
    using _place = await this.#foreground.acquire(signal);
    return await this.#call(command, options, signal, keepsState);
  }

  async runProgram(words: readonly string[], options: RunOptions, signal: AbortSignal): Promise<RunResult> {
    const [file] = words;
    if (!file) throw this.#invalidCommand('A program needs a name', 'Give its name as first word.');
    this.#refuseNul(words);
    const command = `exec -- ${quoteShell(words)}`;
    const program = this.#place.shell === 'bash' ? command : `exec ${quoteShell(words)}`;
    return await this.#call(program, { ...options, isStateless: true }, signal, false);
  }

  async spawn(command: string, options: SpawnOptions, signal: AbortSignal): Promise<SandboxProcess> {
    this.#refuseNul([command]);
    checkVariables(options.env ?? {});
    const { transport, runner, shell, killer, tools } = this.#place;
    const { clock, killGraceMs } = tools;
    if (options.pty && !transport.hasPty) {
      throw this.#invalidCommand('There is no terminal to give here', 'Run it without pty.');
    }
    const cwd = options.cwd === undefined ? this.#cwd : await this.#place.resolvePath(options.cwd);
    const execId = newExecId();
    const wrapped = this.#wrap(command, { execId, cwd, options, saves: false, loads: shell === 'bash' });
    const script = `${runner.stateFolder}/call-${execId}`;
    const words = quoteShell([...shellWords[shell], '-c', wrapped.text, shell]);
    const text = `rm -f -- "$0"\nexec 2>&1\n{ ${wrapped.variables || ':'}\n} 2>/dev/null\nexec ${words}\n`;
    const commandFile = { path: `${runner.stateFolder}/command-${execId}`, content: wrapped.file ?? '' };
    const parts = [{ path: script, content: text }, ...(wrapped.file === undefined ? [] : [commandFile])];
    const files = await placeFiles({ transport, clock, signal }, parts);
    const kill = (graceMs: number, stop?: AbortSignal) => killer.end({ mode: 'exec', execId }, graceMs, stop);
    const request = {
      words: [...shellWords[shell], script],
      hasStdin: true,
      pty: options.pty ?? false,
      mergesStderr: true,
      files,
      wanted: { kind: 'latest', maxBytes: keptProcessBytes } as const,
      signal,
    };
    const started = await startSurely(transport, request, { kill: (stop) => kill(killGraceMs, stop), clock });
    const source = {
      pid: null,
      stdin: started.stdin,
      stdout: started.stdout,
      gaps: started.gaps,
      stderr: started.stderr,
      exited: started.exited.then(async (exitCode) => {
        if (exitCode !== null) return exitCode;
        // Nobody will hear of it any more, wherever it runs on.
        await kill(killGraceMs);
        return 137;
      }),
      release: async () => started.close(),
      end: async (graceMs: number) => {
        await endSurely((stop) => kill(graceMs, stop), started.exited, { clock, graceMs });
      },
    };
    started.stdin?.on('error', () => undefined);
    const id = `proc_${randomBytes(6).toString('hex')}`;
    const watched = watchBackgroundProcess(source, { kind: transport.kind, id, command, cwd }, clock);
    if (!signal.aborted) return watched;
    await source.end(killGraceMs);
    throw signal.reason;
  }

  async #call(command: string, options: RunOptions, signal: AbortSignal, keepsState: boolean): Promise<RunResult> {
    checkVariables(options.env ?? {});
    checkLimits(options);
    const cwd = options.cwd === undefined ? this.#cwd : await this.#place.resolvePath(options.cwd);
    const execId = newExecId();
    const { clock, logger, killGraceMs } = this.#place.tools;
    const { maxOutputBytes = defaultOutputBytes } = options;
    const collector = createOutputCollector({
      maxOutputBytes,
      onOutput: options.onOutput,
      logger,
      clock,
    });
    const request: ChannelRequest = {
      execId,
      ...this.#wrap(command, { execId, cwd, options, saves: keepsState, loads: keepsState }),
      folder: options.cwd === undefined ? undefined : cwd,
      stdin: options.stdin,
      state: keepsState ? { loadIndex: this.#stateIndex, saveIndex: this.#nextIndex() } : null,
      maxOutputBytes,
      hear: collector.takeOutput,
      hearGap: collector.skipOutput,
      hearStderr: options.mergeStderr === false ? collector.takeStderr : undefined,
      hearStderrGap: collector.skipStderr,
    };
    const timeoutMs = options.timeoutMs ?? this.#place.defaultTimeoutMs;
    const startedAtMs = clock.monotonicMs();
    const isBeside = options.isStateless === true;
    const { outcome, ending } = await sendRequest(this.#place, request, {
      isBeside,
      timeoutMs,
      graceMs: killGraceMs,
      signal,
    });
    const exitCode = await this.#adopt(outcome, execId, keepsState, ending === 'exited');
    const known = { ...collector.read(), durationMs: clock.monotonicMs() - startedAtMs, cwd: this.#cwd };
    if (ending === 'exited') return { kind: ending, exitCode, ...known };
    return ending === 'interrupted' ? { kind: ending, ...known } : { kind: ending, timeoutMs, ...known };
  }

  /** Takes over what a command left; gives its exit code. @throws SandboxError where it did not run */
  async #adopt(outcome: ChannelOutcome, execId: string, keepsState: boolean, isEnd: boolean): Promise<number> {
    const { transport } = this.#place;
    switch (outcome.kind) {
      case 'ended':
        if (keepsState && outcome.hasSaved) {
          this.#stateIndex = this.#nextIndex();
          if (outcome.folder !== null) this.#cwd = outcome.folder;
        }
        return outcome.exitCode;
      case 'lost':
        return isEnd ? await explainLoss(this.#place, execId, outcome.isCutOff) : 137;
      case 'no-space':
      case 'no-state':
        throw remoteError(transport.kind, 'The sandbox has no room left for the input of the command', {
          code: 'sandbox.no-space',
          phase: 'exec',
          started: false,
          hint: 'Remove what is not needed in the sandbox, or give it a larger disk.',
        });
    }
  }

  #wrap(
    command: string,
    call: {
      readonly execId: string;
      readonly cwd: string;
      readonly options: Pick<RunOptions, 'cwd' | 'env'>;
      readonly loads: boolean;
      readonly saves: boolean;
    },
  ): CommandText {
    const { runner, shell, sandboxId, limitMark } = this.#place;
    const { execId, cwd, options, loads, saves } = call;
    return buildCommandText(command, {
      shell,
      sandboxId,
      limitMark,
      execId,
      cwd,
      isNamedCwd: options.cwd !== undefined,
      env: options.env ?? {},
      stateFolder: runner.stateFolder,
      loadIndex: loads ? this.#stateIndex : null,
      saveIndex: saves ? this.#nextIndex() : null,
    });
  }

  #nextIndex(): number {
    return (this.#stateIndex + 1) % stateFileCount;
  }

  #refuseNul(words: readonly string[]): void {
    if (!words.some((word) => word.includes('\0'))) return;
    throw this.#invalidCommand(
      'A command cannot hold a NUL character',
      'Pass binary data by standard input or by a file.',
    );
  }

  #invalidCommand(message: string, hint: string): unknown {
    const { kind } = this.#place.transport;
    return remoteError(kind, message, { code: 'sandbox.invalid-command', phase: 'exec', started: false, hint });
  }
}

function newExecId(): string {
  return randomBytes(16).toString('hex');
}
