import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { access, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, isTalariaError, systemErrorCode } from '@talaria/core';
import { localError } from './local-error.ts';

/** Named pipes in a folder, made as they are needed and used again. */
export interface PipeFolder {
  /** Opens one that nothing holds. Whatever a program in the sandbox has put in its place is passed over. */
  open(flags: number): Promise<OpenPipe>;
  /** Takes one back that nothing holds any more. */
  giveBack(path: string): void;
  /** Takes one back that something may still hold, so that it must not be used for another command. */
  discard(path: string): void;
}

/** A pipe that was opened, and by what path. */
export interface OpenPipe {
  readonly path: string;
  readonly fd: number;
}

/** Making a pipe takes a process, whether it makes one or several. */
const batchSize = 8;

/** Keeps pipes in an existing folder; `mkfifo` is the path of that program. */
export function createPipeFolder(folder: string, mkfifo: string): PipeFolder {
  const free: string[] = [];

  async function make(): Promise<string> {
    const path = newPath();
    const others = Array.from({ length: batchSize - 1 }, newPath);
    try {
      const exitCode = await runSilently(mkfifo, ['-m', '600', path, ...others]);
      // It says the reason to nobody; mostly it is one that the system also tells us.
      if (exitCode !== 0) await access(folder, constants.W_OK);
      if (exitCode !== 0) throw poolError(folder, `${mkfifo} ended with ${exitCode}`);
    } catch (error) {
      throw isTalariaError(error) ? error : poolError(folder, errorMessage(error), error);
    }
    free.push(...others);
    return path;
  }

  /** Not by number: a program in the sandbox could have put something at the next one. */
  function newPath(): string {
    return join(folder, `pipe-${randomBytes(8).toString('hex')}`);
  }

  return {
    async open(flags) {
      for (let path = free.pop(); path !== undefined; path = free.pop()) {
        const fd = openPipe(path, flags);
        if (fd !== null) return { path, fd };
      }
      const path = await make();
      const fd = openPipe(path, flags);
      if (fd === null) throw poolError(folder, 'a program in the sandbox removed one at once');
      return { path, fd };
    },
    giveBack(path) {
      free.push(path);
    },
    discard(path) {
      unlink(path).catch((error: unknown) => {
        // Gone, or something else is there by now: it goes with its folder.
        if (systemErrorCode(error) === undefined) throw error;
      });
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

/** Without streams: where descriptors run out, Node keeps those that it had opened for a child that it could not start. */
function runSilently(file: string, args: readonly string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    spawn(file, args, { stdio: 'ignore' }).once('error', reject).once('exit', resolve);
  });
}

const atLimit: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'EAGAIN']);

function poolError(folder: string, what: string, cause?: unknown): unknown {
  const isAtLimit = atLimit.has(systemErrorCode(cause));
  return localError(`Cannot make pipes in ${folder}: ${what}`, {
    code: 'sandbox.failed',
    phase: 'exec',
    started: false,
    retryable: isAtLimit,
    hint: isAtLimit
      ? 'Raise the limits on processes and open files (ulimit -u, ulimit -n), or do less at once.'
      : 'Check that the folder exists, can be written to, and is on a file system with named pipes.',
    cause,
  });
}
