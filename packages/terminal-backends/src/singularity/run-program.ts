import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { type Clock, errorMessage, openDeadline, systemErrorCode } from '@talaria/core';
import { singularityError } from './singularity-error.ts';

/** A call of the program that ends by itself. */
export interface ProgramCall {
  /** The program and its arguments. */
  readonly words: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** @default '/' */
  readonly cwd?: string | undefined;
  /** Hears each line that it writes, as it writes it; it must not throw. @default nobody */
  readonly onLine?: ((line: string) => void) | undefined;
  /** Ends it. @default nothing does, but its time */
  readonly signal?: AbortSignal | undefined;
}

/** How it ended. */
export interface ProgramResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const maxTextLength = 1_048_576;
/** What it started may hold its streams open. */
const maxDrainMs = 300;
const killGraceMs = 2_000;

/**
 * Runs the program without a shell to its end. When this settles, it runs no more.
 * @throws SandboxError `sandbox.timeout`, `sandbox.failed`; the signal's reason
 */
export async function runSingularity(call: ProgramCall): Promise<ProgramResult> {
  const { words, environment, timeoutMs, clock, cwd = '/', onLine, signal } = call;
  signal?.throwIfAborted();
  const [file, ...args] = words;
  const child = spawn(file, args, {
    cwd,
    env: { ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [collectText(child.stdout, onLine), collectText(child.stderr, onLine)];
  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, name) => resolve(code ?? 128 + (name === null ? 0 : constants.signals[name])));
  });
  using deadline = openDeadline(clock, timeoutMs, signal);
  let cancelKill: (() => void) | undefined;
  function end(): void {
    killGroup(child.pid, 'SIGTERM');
    cancelKill = clock.schedule(killGraceMs, () => killGroup(child.pid, 'SIGKILL'));
  }
  deadline.signal.addEventListener('abort', end, { once: true });
  try {
    const exitCode = await exited;
    if (!deadline.signal.aborted) {
      await Promise.race([Promise.all([stdout.ended, stderr.ended]), clock.sleep(maxDrainMs, { isBackground: true })]);
      return { exitCode, stdout: stdout.read(), stderr: stderr.read() };
    }
  } catch (error) {
    throw singularityError(`Cannot start ${file}: ${errorMessage(error)}`, {
      code: 'sandbox.failed',
      phase: 'create',
      retryable: systemErrorCode(error) === 'EAGAIN',
      hint: 'Check the program, and the limits on processes and open files (ulimit -u, ulimit -n).',
      cause: error,
    });
  } finally {
    deadline.signal.removeEventListener('abort', end);
    cancelKill?.();
    child.stdout.destroy();
    child.stderr.destroy();
  }
  signal?.throwIfAborted();
  const said = stderr.read().trim().slice(-maxSaidLength);
  throw singularityError(`${words.slice(0, 3).join(' ')} took more than ${timeoutMs} ms${said && `: ${said}`}`, {
    code: 'sandbox.timeout',
    phase: 'create',
    retryable: true,
    hint: 'The machine, its disks or the registry are slow: try again, or with more time.',
  });
}

const maxSaidLength = 1_000;

/** Ends a process of our own with all that is of its group. */
export function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH' && systemErrorCode(error) !== 'EPERM') throw error;
  }
}

/** Keeps the end of a text. */
function collectText(
  stream: Readable,
  onLine: ((line: string) => void) | undefined,
): { readonly read: () => string; readonly ended: Promise<void> } {
  let text = '';
  let rest = '';
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-maxTextLength);
    if (onLine === undefined) return;
    // Of a bar that grows, every state is a line.
    const lines = (rest + piece).split(/[\r\n]+/);
    rest = (lines.pop() ?? '').slice(-maxTextLength);
    for (const line of lines) if (line.trim() !== '') onLine(line.trimEnd());
  });
  const ended = new Promise<void>((resolve) => {
    stream
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
  });
  return { read: () => text, ended };
}
