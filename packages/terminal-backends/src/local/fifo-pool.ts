import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemErrorCode } from '@talaria/core';

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

/** Creates a pool that keeps its pipes in an existing folder. `environment` finds the program `mkfifo`. */
export function createFifoPool(folder: string, environment: Readonly<Record<string, string>>): FifoPool {
  const free: string[] = [];
  const leftRunning = new Set<Socket>();
  let made = 0;

  async function take(): Promise<string> {
    const known = free.pop();
    if (known !== undefined) return known;
    const path = nextPath();
    const others = Array.from({ length: batchSize - 1 }, nextPath);
    await runFile('mkfifo', ['-m', '600', path, ...others], { env: { ...environment } });
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
      const path = await take();
      const ownFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const childFd = openSync(path, constants.O_WRONLY);
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
      const path = await take();
      // The child's end must block and ours must not, and either would wait for the other but for one open of both.
      const bothFd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      const childFd = openSync(path, constants.O_RDONLY);
      const ownFd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
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

function hasNoReader(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    const code = systemErrorCode(error);
    // The pipe may have been removed by a program in the sandbox; then it is not one to use again.
    if (code === 'ENXIO') return true;
    if (code === 'ENOENT') return false;
    throw error;
  }
}
