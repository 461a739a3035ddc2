import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, lstat, open, readdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolder, systemErrorCode } from '@talaria/core';
import type { DirectoryEntry, FileContent, FileKind, FileStat, ReadFileOptions, WriteFileOptions } from '../sandbox.ts';
import { localError } from './local-error.ts';

/** Most bytes that one `readFile` gives where the call names no limit. */
export const defaultReadBytes = 104_857_600;
const pieceBytes = 1_048_576;

/** Reads a part of a regular file. */
export async function readFileRange(path: string, options: ReadFileOptions): Promise<FileContent> {
  const { offset = 0, maxBytes = defaultReadBytes, signal } = options;
  await using file = await openRegularFile(path);
  const { size } = await file.stat();
  const pieces: Uint8Array[] = [];
  let readBytes = 0;
  // One byte more than is given tells whether there is more; the size does not, for a file under /proc has none.
  while (readBytes <= maxBytes) {
    signal?.throwIfAborted();
    const wanted = Math.min(
      pieceBytes,
      maxBytes + 1 - readBytes,
      size > 0 ? Math.max(size - offset - readBytes, 1) : pieceBytes,
    );
    const piece = Buffer.allocUnsafe(wanted);
    const { bytesRead } = await file.read(piece, 0, wanted, offset + readBytes);
    if (bytesRead === 0) break;
    pieces.push(piece.subarray(0, bytesRead));
    readBytes += bytesRead;
  }
  const bytes = Buffer.concat(pieces).subarray(0, maxBytes);
  return { bytes, sizeBytes: Math.max(size, offset + readBytes), isTruncated: readBytes > maxBytes };
}

/** Opens a file as a stream that ends with the signal's reason when it is aborted. */
export async function openFileStream(path: string, signal: AbortSignal): Promise<Readable> {
  const file = await openRegularFile(path);
  const stream = file.createReadStream({ highWaterMark: pieceBytes });
  // Whoever reads it hears of an error all the same; of a stream that nobody reads yet, it must not end this process.
  stream.on('error', () => undefined);
  function stop(): void {
    stream.destroy(signal.reason);
  }
  // Given the signal itself, the stream would end with an error of its own kind instead of the reason.
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return stream.once('close', () => signal.removeEventListener('abort', stop));
}

/** Opens for reading without ever waiting: a named pipe would block, and a device may never end. */
export async function openRegularFile(path: string, followLink = true): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLink ? 0 : constants.O_NOFOLLOW);
  const file = await open(path, flags);
  try {
    refuseIrregular(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function refuseIrregular(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  const isDirectory = stats.isDirectory();
  throw localError(`${JSON.stringify(path)} is ${isDirectory ? 'a folder' : 'not a regular file'}`, {
    code: isDirectory ? 'sandbox.is-directory' : 'sandbox.failed',
    phase: 'transfer',
    started: false,
    hint: isDirectory ? 'Name a file inside it, or list it.' : 'Use a command for pipes, sockets and devices.',
  });
}

/** Replaces a file in one step: whoever reads it sees the old bytes or the new ones. */
export async function writeFileAtomically(path: string, bytes: Uint8Array, options: WriteFileOptions): Promise<void> {
  const { mode, isExclusive = false, signal } = options;
  const target = isExclusive ? path : await followLinks(path);
  const before = isExclusive ? null : await statOrNull(target);
  if (before !== null) refuseIrregular(target, before);
  await makeFolder(dirname(target));
  await using temporary = await createTemporaryFile(target);
  await temporary.file.writeFile(bytes, { signal });
  await keepOwner(temporary.file, before);
  await temporary.file.chmod(mode ?? (before === null ? 0o644 : before.mode & 0o7777));
  await temporary.file.sync();
  signal?.throwIfAborted();
  if (isExclusive) await link(temporary.path, target);
  else await rename(temporary.path, target);
}

/** A new file beside the one that it is to become. Disposing closes it, and removes it if it still has its own name. */
export interface TemporaryFile extends AsyncDisposable {
  readonly path: string;
  readonly file: FileHandle;
}

/** Creates one. */
export async function createTemporaryFile(target: string): Promise<TemporaryFile> {
  const path = join(dirname(target), `.talaria-${randomBytes(8).toString('hex')}`);
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

/** A new file belongs to who made it; the one that it replaces may be somebody else's. */
async function keepOwner(file: FileHandle, before: Stats | null): Promise<void> {
  if (before === null) return;
  const now = await file.stat();
  if (now.uid === before.uid && now.gid === before.gid) return;
  await file.chown(before.uid, before.gid).catch((error: unknown) => {
    // Only root may give files away; without that right the new file is the writer's, as with any editor.
    if (systemErrorCode(error) !== 'EPERM') throw error;
  });
}

const maxLinks = 40;

/** Where writing to a path ends up: the end of its chain of links, which need not exist. */
export async function followLinks(path: string): Promise<string> {
  let current = path;
  for (let count = 0; count < maxLinks; count += 1) {
    const stats = await lstatOrNull(current);
    if (stats === null || !stats.isSymbolicLink()) return current;
    // The folder may itself be reached by links, and a relative target counts from where it really is.
    current = resolve(await realpath(dirname(current)), await readlink(current));
  }
  throw localError(`${JSON.stringify(path)} is a circle of links`, {
    code: 'sandbox.unsafe-path',
    phase: 'transfer',
    started: false,
    hint: 'Remove one of the links.',
  });
}

/** What is known about a path; `null` where nothing is. */
export async function statPath(path: string, isLink: boolean): Promise<FileStat | null> {
  const stats = isLink ? await lstatOrNull(path) : await statOrNull(path);
  if (stats === null) return null;
  const known = {
    kind: kindOf(stats),
    sizeBytes: stats.size,
    mode: stats.mode & 0o7777,
    modifiedAt: stats.mtimeMs,
  };
  return stats.isSymbolicLink() ? { ...known, linkTarget: await readlink(path) } : known;
}

/** The entries of a folder, sorted by name. */
export async function listFolder(path: string): Promise<readonly DirectoryEntry[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
}

interface KindQuestions {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** The kind of what a stat or a directory entry describes. */
export function kindOf(entry: KindQuestions): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

/** Like `stat`, with `null` where nothing is. */
export function statOrNull(path: string): Promise<Stats | null> {
  return orNull(stat(path));
}

/** Like `lstat`, with `null` where nothing is. */
export function lstatOrNull(path: string): Promise<Stats | null> {
  return orNull(lstat(path));
}

function orNull(stats: Promise<Stats>): Promise<Stats | null> {
  return stats.catch((error: unknown) => {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  });
}

/** Takes an error for an answer where it says that nothing is there. */
export function nullWhereMissing(error: unknown): null {
  if (systemErrorCode(error) === 'ENOENT') return null;
  throw error;
}

/**
 * The one path of an entry that has neither links nor `..` before its name; `null` where nothing is there. A link is an
 * entry of its own.
 */
export async function realEntry(path: string): Promise<string | null> {
  const stats = await lstatOrNull(path);
  if (stats === null) return null;
  if (!stats.isSymbolicLink()) return await realpath(path);
  return join(await realpath(dirname(path)), basename(path));
}

/** Whether the first of two real paths is the second or a folder that holds it. */
export function isOrHolds(path: string, other: string): boolean {
  return path === '/' || path === other || other.startsWith(`${path}/`);
}
