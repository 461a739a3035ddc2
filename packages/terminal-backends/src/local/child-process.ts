import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { errorMessage, isTalariaError, systemErrorCode } from '@talaria/core';
import type { ChildPipe, FifoPool } from './fifo-pool.ts';
import { localError } from './local-error.ts';

/** What to start. */
export interface ChildRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Nothing, a pipe, or an open descriptor that stays the caller's. */
  readonly stdin: 'none' | 'pipe' | number;
  readonly mergeStderr: boolean;
  /** Give it a further output, as descriptor 3. @default false */
  readonly hasReport?: boolean | undefined;
}

/** A child process in a session of its own, with its streams. */
export interface StartedChild {
  readonly pid: number;
  readonly stdin: Socket | null;
  readonly stdout: Socket;
  /** `null` where it goes where standard output goes. */
  readonly stderr: Socket | null;
  /** What it writes to descriptor 3; `null` without `hasReport`. */
  readonly report: Readable | null;
  /** Exit code, 128 + n for signal n; resolves when the process ended, whatever still holds its streams. */
  readonly exited: Promise<number>;
  /** Its number while that is certainly its own: until it has ended. */
  readonly leaderPid: () => number | undefined;
  /** Gives its pipes back, see {@link ChildPipe.release}. */
  release(): void;
}

/** Starts a process. @throws SandboxError `sandbox.failed` or `sandbox.command-too-long`; nothing runs then */
export async function startChild(request: ChildRequest, pool: FifoPool): Promise<StartedChild> {
  const pipes: ChildPipe[] = [];
  async function open(pipe: Promise<ChildPipe>): Promise<ChildPipe> {
    pipes.push(await pipe);
    return await pipe;
  }
  try {
    const stdin = request.stdin === 'pipe' ? await open(pool.openInput()) : null;
    const stdout = await open(pool.openOutput());
    const stderr = request.mergeStderr ? null : await open(pool.openOutput());
    const child = spawn(request.file, request.args, {
      cwd: request.cwd,
      env: { ...request.environment },
      detached: true,
      stdio: [
        stdin?.childFd ?? (typeof request.stdin === 'number' ? request.stdin : 'ignore'),
        stdout.childFd,
        (stderr ?? stdout).childFd,
        ...(request.hasReport ? (['pipe'] as const) : []),
      ],
    });
    const exited = watchExit(child);
    for (const pipe of pipes) pipe.closeChildEnd();
    // Without a number it did not start, and `exited` rejects with the reason.
    const pid = child.pid ?? (await exited);
    return {
      pid,
      stdin: stdin?.stream ?? null,
      stdout: stdout.stream,
      stderr: stderr?.stream ?? null,
      report: readableOf(child.stdio[3]),
      exited,
      leaderPid: () => (child.exitCode === null && child.signalCode === null ? pid : undefined),
      release() {
        for (const pipe of pipes) pipe.release();
      },
    };
  } catch (error) {
    for (const pipe of pipes) {
      pipe.closeChildEnd();
      pipe.release();
    }
    throw startError(error, request.file);
  }
}

function readableOf(stream: ChildProcess['stdio'][3]): Readable | null {
  return stream && 'read' in stream ? stream : null;
}

function watchExit(child: ChildProcess): Promise<number> {
  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  // It may be looked at only later; until then a failed start is no unhandled one.
  exited.catch(() => undefined);
  return exited;
}

function startError(error: unknown, file: string): unknown {
  const code = systemErrorCode(error);
  if (isTalariaError(error) || code === undefined) return error;
  const isTooLong = code === 'E2BIG';
  return localError(`Cannot start ${file}: ${errorMessage(error)}`, {
    code: isTooLong ? 'sandbox.command-too-long' : 'sandbox.failed',
    phase: 'exec',
    started: false,
    retryable: code === 'EAGAIN' || code === 'EMFILE' || code === 'ENFILE',
    hint: isTooLong
      ? 'Pass large values by a file or by standard input.'
      : 'Check that the program exists, and the limits on processes and open files (ulimit -u, ulimit -n).',
    cause: error,
  });
}
