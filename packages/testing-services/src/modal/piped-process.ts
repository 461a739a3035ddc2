import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { openStreamPipes } from '../sandbox-root/open-stream-pipes.ts';
import type { RootProgram, SandboxRoot } from '../sandbox-root/sandbox-root.ts';

/** A program in a sandbox whose three streams are pipes, which it can also open by name (`tee /dev/stderr`). */
export interface PipedProcess {
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** Exit code, 128 + n after signal n; resolves when it ended, whatever still holds its streams. */
  readonly exited: Promise<number>;
  /** Kills its group. */
  kill(): Promise<void>;
}

/** How to start one. */
export interface PipedProcessOptions {
  /** Absolute folder; it must exist. */
  readonly cwd: string;
  /** All its variables. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts a program. Rejects where the folder is none or the sandbox is gone; a missing program exits with 127. */
export async function startPipedProcess(
  root: SandboxRoot,
  words: readonly string[],
  options: PipedProcessOptions,
): Promise<PipedProcess> {
  const { ours, theirs } = await openStreamPipes();
  let program: RootProgram;
  try {
    program = await root.spawnOn(theirs, words, { cwd: options.cwd, env: options.environment });
  } catch (error) {
    for (const fd of ours) closeSync(fd);
    throw error;
  } finally {
    for (const fd of theirs) closeSync(fd);
  }
  const stdin = new Socket({ fd: ours[0], readable: false, writable: true });
  const stdout = new Socket({ fd: ours[1], readable: true, writable: false });
  const stderr = new Socket({ fd: ours[2], readable: true, writable: false });
  // Whoever holds the other end may go away at any time; a writer hears of it from the write itself.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
  return { stdin, stdout, stderr, exited: program.exited, kill: () => program.signal('SIGKILL') };
}
