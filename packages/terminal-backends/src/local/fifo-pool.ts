import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorMessage, systemErrorCode } from '@talaria/core';
import { localError } from './local-error.ts';

/**
 * Named pipes for the streams of child processes. Node's own `pipe` streams are socket pairs, which a program cannot
 * open by name: `tee /dev/stderr` and `cat /dev/stdin` would fail. Two streams can also share one pipe, so that
 * standard error keeps its place in the output without a shell.
 */
export interface FifoPool extends Disposable {
  /** Opens a pipe that a child writes to. */
  openOutput(): Promise<ChildPipe>;
  /** Opens a pipe that a child reads from. */
  openInput(): Promise<ChildPipe>;
}

/** A pipe between us and a child. */
export interface ChildPipe {
  /** Our end. */
  readonly stream: Socket;
  /** The child's end: to be closed by {@link ChildPipe.closeChildEnd} once the child has it. */
  readonly childFd: number;
  /** Does nothing the second time. */
  closeChildEnd(): void;
  /**
   * Gives the pipe back. What still holds the other end goes on undisturbed: its output is read and dropped, so that it
   * is neither blocked nor killed by SIGPIPE.
   */
  release(): void;
}

const runFile = promisify(execFile);
/** Making a pipe takes a process, whether it makes one or a few. */
const batchSize = 3;

/** Creates a pool that keeps its pipes in an existing folder; `mkfifo` is the path of that program. */
export function createFifoPool(folder: string, mkfifo: string): FifoPool {
  const free: string[] = [];
  const leftRunning = new Set<Socket>();
  let made = 0;

  async function open(flags: number): Promise<{ readonly path: string; readonly fd: number }> {
    for (let path = free.pop(); path !== undefined; path = free.pop()) {
      const fd = openIfThere(path, flags);
      if (fd !== null) return { path, fd };
    }
    const path = await make();
    return { path, fd: openSync(path, flags) };
  }

  async function make(): Promise<string> {
    const path = nextPath();
    const others = Array.from({ length: batchSize - 1 }, nextPath);
    await runFile(mkfifo, ['-m', '600', path, ...others]).catch((error: unknown) => {
      throw localError(`Cannot make pipes in ${folder}: ${errorMessage(error)}`, {
        code: 'sandbox.failed',
        phase: 'exec',
        started: false,
        hint: 'Check that the folder exists, can be written to, and is on a file system with named pipes.',
        cause: error,
      });
    });
    free.push(...others);
    return path;
  }

  function nextPath(): string {
    made += 1;
    return join(folder, `pipe-${made}`);
  }

  /** A pipe that something may still hold must not be used for another command. */
  function discard(path: string): void {
    unlink(path).catch((error: unknown) => {
      // Gone with its folder.
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    });
  }

  return {
    async openOutput() {
      const { path, fd: ownFd } = await open(constants.O_RDONLY | constants.O_NONBLOCK);
      const childFd = openSync(sameFile(ownFd, path), constants.O_WRONLY);
      const stream = new Socket({ fd: ownFd, readable: true, writable: false });
      return createChildPipe(stream, childFd, () => {
        if (stream.readableEnded) {
          stream.destroy();
          free.push(path);
          return;
        }
        discard(path);
        leftRunning.add(stream);
        stream
          .removeAllListeners('data')
          .once('close', () => leftRunning.delete(stream))
          .resume()
          .unref();
      });
    },
    async openInput() {
      // The child's end must block and ours must not, and either would wait for the other but for one open of both.
      const { path, fd: bothFd } = await open(constants.O_RDWR | constants.O_NONBLOCK);
      const childFd = openSync(sameFile(bothFd, path), constants.O_RDONLY);
      const ownFd = openSync(sameFile(bothFd, path), constants.O_WRONLY | constants.O_NONBLOCK);
      closeSync(bothFd);
      const stream = new Socket({ fd: ownFd, readable: false, writable: true });
      return createChildPipe(stream, childFd, () => {
        stream.destroy();
        if (hasNoReader(path)) free.push(path);
        else discard(path);
      });
    },
    [Symbol.dispose]() {
      for (const stream of leftRunning) stream.destroy();
    },
  };
}

/**
 * A name for what is already open. By its first name a program in the sandbox could have put another pipe there, and
 * opening one that nobody reads would stop this whole process.
 */
function sameFile(fd: number, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}` : path;
}

function createChildPipe(stream: Socket, childFd: number, release: () => void): ChildPipe {
  let isChildEndOpen = true;
  // Whoever holds the other end may go away at any time; a writer hears of it from the write itself.
  stream.on('error', () => undefined);
  return {
    stream,
    childFd,
    release,
    closeChildEnd() {
      if (isChildEndOpen) closeSync(childFd);
      isChildEndOpen = false;
    },
  };
}

/** `null` where a program in the sandbox has removed the pipe. */
function openIfThere(path: string, flags: number): number | null {
  try {
    return openSync(path, flags);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function hasNoReader(path: string): boolean {
  try {
    const fd = openIfThere(path, constants.O_WRONLY | constants.O_NONBLOCK);
    if (fd !== null) closeSync(fd);
    return false;
  } catch (error) {
    if (systemErrorCode(error) === 'ENXIO') return true;
    throw error;
  }
}
