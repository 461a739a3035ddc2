import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readlink, realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SandboxError } from '@talaria/core';
import type { BackendKind } from '../sandbox.ts';
import { lstatOrNull } from './path-stats.ts';

/** Opens for reading without ever waiting: a named pipe would block, and a device may never end. */
export async function openRegularFile(path: string, backend: BackendKind, followLink = true): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLink ? 0 : constants.O_NOFOLLOW);
  const file = await open(path, flags);
  try {
    refuseIrregular(path, await file.stat(), backend);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** @throws SandboxError `sandbox.is-directory` for a folder, `sandbox.failed` for a pipe, a socket or a device */
export function refuseIrregular(path: string, stats: Stats, backend: BackendKind): void {
  if (stats.isFile()) return;
  const isDirectory = stats.isDirectory();
  throw new SandboxError(`${JSON.stringify(path)} is ${isDirectory ? 'a folder' : 'not a regular file'}`, {
    backend,
    code: isDirectory ? 'sandbox.is-directory' : 'sandbox.failed',
    phase: 'transfer',
    started: false,
    hint: isDirectory ? 'Name a file inside it, or list it.' : 'Use a command for pipes, sockets and devices.',
  });
}

/** What every temporary name starts with. */
export const temporaryPrefix = '.talaria-';

/** A name that nothing else has. */
export function temporaryName(): string {
  return `${temporaryPrefix}${randomBytes(8).toString('hex')}`;
}

/** A new file beside the one that it is to become. Disposing closes it, and removes it if it still has its own name. */
export interface TemporaryFile extends AsyncDisposable {
  readonly path: string;
  readonly file: FileHandle;
}

/** Creates one. */
export async function createTemporaryFile(target: string): Promise<TemporaryFile> {
  const path = join(dirname(target), temporaryName());
  const file = await open(path, 'wx', 0o600);
  return {
    path,
    file,
    async [Symbol.asyncDispose]() {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

const maxLinks = 40;

/** Where writing to a path ends up: the end of its chain of links, which need not exist. */
export async function followLinks(path: string, backend: BackendKind): Promise<string> {
  let current = path;
  for (let count = 0; count < maxLinks; count += 1) {
    const stats = await lstatOrNull(current);
    if (stats === null || !stats.isSymbolicLink()) return current;
    // The folder may itself be reached by links, and a relative target counts from where it really is.
    current = resolve(await realpath(dirname(current)), await readlink(current));
  }
  throw new SandboxError(`${JSON.stringify(path)} is a circle of links`, {
    backend,
    code: 'sandbox.unsafe-path',
    phase: 'transfer',
    started: false,
    hint: 'Remove one of the links.',
  });
}
