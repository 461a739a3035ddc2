import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { systemErrorCode } from '@talaria/core';
import { createPipeFolder, type OpenPipe } from './pipe-folder.ts';

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

/** Creates a pool that keeps its pipes in an existing folder; `mkfifo` is the path of that program. */
export function createFifoPool(folder: string, mkfifo: string): FifoPool {
  const pipes = createPipeFolder(folder, mkfifo);
  const streams = new Set<Socket>();

  function openStream(fd: number, direction: { readonly readable: boolean; readonly writable: boolean }): Socket {
    const stream = new Socket({ fd, ...direction });
    streams.add(stream);
    return stream.once('close', () => streams.delete(stream));
  }

  return {
    async openOutput() {
      const own = await pipes.open(constants.O_RDONLY | constants.O_NONBLOCK);
      const childFd = openAgain(own, constants.O_WRONLY);
      const stream = openStream(own.fd, { readable: true, writable: false });
      return createChildPipe(stream, childFd, () => {
        if (stream.readableEnded) {
          stream.destroy();
          pipes.giveBack(own.path);
          return;
        }
        pipes.discard(own.path);
        stream.removeAllListeners('data').resume().unref();
      });
    },
    async openInput() {
      // The child's end must block and ours must not, and either would wait for the other but for one open of both.
      const both = await pipes.open(constants.O_RDWR | constants.O_NONBLOCK);
      const childFd = openAgain(both, constants.O_RDONLY);
      const ownFd = openAgain(both, constants.O_WRONLY | constants.O_NONBLOCK, childFd);
      closeSync(both.fd);
      const stream = openStream(ownFd, { readable: false, writable: true });
      return createChildPipe(stream, childFd, () => {
        stream.destroy();
        if (hasNoReader(both.path)) pipes.giveBack(both.path);
        else pipes.discard(both.path);
      });
    },
    [Symbol.dispose]() {
      for (const stream of streams) stream.destroy();
    },
  };
}

/**
 * Opens the same pipe once more, by what is already open: by its first name a program in the sandbox could have put
 * another pipe there, and opening one that nobody reads would stop this whole process. Where that fails, nothing of the
 * pipe stays open.
 */
function openAgain({ fd, path }: OpenPipe, flags: number, ...others: readonly number[]): number {
  try {
    return openSync(process.platform === 'linux' ? `/proc/self/fd/${fd}` : path, flags);
  } catch (error) {
    for (const open of [fd, ...others]) closeSync(open);
    throw error;
  }
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
    return systemErrorCode(error) === 'ENXIO';
  }
}
