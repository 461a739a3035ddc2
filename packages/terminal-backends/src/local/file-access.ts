import type { Stats } from 'node:fs';
import { type FileHandle, link, readdir, readlink, realpath, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolder, systemErrorCode } from '@talaria/core';
import { createTemporaryFile, followLinks, openRegularFile, refuseIrregular } from '../host-files/host-file.ts';
import { kindOf, lstatOrNull, statOrNull } from '../host-files/path-stats.ts';
import type { DirectoryEntry, FileContent, FileStat, ReadFileOptions, WriteFileOptions } from '../sandbox.ts';

/** Most bytes that one `readFile` gives where the call names no limit. */
export const defaultReadBytes = 104_857_600;
const pieceBytes = 1_048_576;

/** Reads a part of a regular file. */
export async function readFileRange(path: string, options: ReadFileOptions): Promise<FileContent> {
  const { offset = 0, maxBytes = defaultReadBytes, signal } = options;
  await using file = await openRegularFile(path, 'local');
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
  const file = await openRegularFile(path, 'local');
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

/** Replaces a file in one step: whoever reads it sees the old bytes or the new ones. */
export async function writeFileAtomically(path: string, bytes: Uint8Array, options: WriteFileOptions): Promise<void> {
  const { mode, isExclusive = false, signal } = options;
  const target = isExclusive ? path : await followLinks(path, 'local');
  const before = isExclusive ? null : await statOrNull(target);
  if (before !== null) refuseIrregular(target, before, 'local');
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
