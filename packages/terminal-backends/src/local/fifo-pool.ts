import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorMessage, systemErrorCode } from '@talaria/core';
import { localError } from './local-error.ts';

/**
 * Named pipes for the streams of child processes; disposing closes our end of all. Node's own `pipe` streams are socket pairs, which a program cannot
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
  const streams = new Set<Socket>();

  async function open(flags: number): Promise<{ readonly path: string; readonly fd: number }> {
    for (let path = free.pop(); path !== undefined; path = free.pop()) {
      const fd = openPipe(path, flags);
      if (fd !== null) return { path, fd };
    }
    const path = await make();
    const fd = openPipe(path, flags);
    if (fd === null) throw poolError(folder, 'a program in the sandbox removed one at once');
    return { path, fd };
  }

  async function make(): Promise<string> {
    const path = newPath();
    const others = Array.from({ length: batchSize - 1 }, newPath);
    await runFile(mkfifo, ['-m', '600', path, ...others]).catch((error: unknown) => {
      throw poolError(folder, errorMessage(error), error);
    });
    free.push(...others);
    return path;
  }

  /** Not by number: a program in the sandbox could have put something at the next one. */
  function newPath(): string {
    return join(folder, `pipe-${randomBytes(8).toString('hex')}`);
  }

  function openStream(fd: number, direction: { readonly readable: boolean; readonly writable: boolean }): Socket {
    const stream = new Socket({ fd, ...direction });
    streams.add(stream);
    return stream.once('close', () => streams.delete(stream));
  }

  return {
    async openOutput() {
      const { path, fd: ownFd } = await open(constants.O_RDONLY | constants.O_NONBLOCK);
      const childFd = openSync(sameFile(ownFd, path), constants.O_WRONLY);
      const stream = openStream(ownFd, { readable: true, writable: false });
      return createChildPipe(stream, childFd, () => {
        if (stream.readableEnded) {
          stream.destroy();
          free.push(path);
          return;
        }
        discard(path);
        stream.removeAllListeners('data').resume().unref();
      });
    },
    async openInput() {
      // The child's end must block and ours must not, and either would wait for the other but for one open of both.
      const { path, fd: bothFd } = await open(constants.O_RDWR | constants.O_NONBLOCK);
      const childFd = openSync(sameFile(bothFd, path), constants.O_RDONLY);
      const ownFd = openSync(sameFile(bothFd, path), constants.O_WRONLY | constants.O_NONBLOCK);
      closeSync(bothFd);
      const stream = openStream(ownFd, { readable: false, writable: true });
      return createChildPipe(stream, childFd, () => {
        stream.destroy();
        if (hasNoReader(path)) free.push(path);
        else discard(path);
      });
    },
    [Symbol.dispose]() {
      for (const stream of streams) stream.destroy();
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

const hasGoneBad: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ENXIO',
  'ELOOP',
  'EACCES',
  'EPERM',
]);

/** `null` where a program in the sandbox has removed the pipe, or put something else in its place. */
function openPipe(path: string, flags: number): number | null {
  try {
    const fd = openSync(path, flags | constants.O_NOFOLLOW);
    if (fstatSync(fd).isFIFO()) return fd;
    closeSync(fd);
    return null;
  } catch (error) {
    if (hasGoneBad.has(systemErrorCode(error))) return null;
    throw error;
  }
}

function hasNoReader(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    return systemErrorCode(error) === 'ENXIO';
  }
}

/** A pipe that something may still hold must not be used for another command. */
function discard(path: string): void {
  unlink(path).catch((error: unknown) => {
    // Gone, or something else is there by now: it goes with its folder.
    if (systemErrorCode(error) === undefined) throw error;
  });
}

function poolError(folder: string, what: string, cause?: unknown): unknown {
  return localError(`Cannot make pipes in ${folder}: ${what}`, {
    code: 'sandbox.failed',
    phase: 'exec',
    started: false,
    hint: 'Check that the folder exists, can be written to, and is on a file system with named pipes.',
    cause,
  });
}
