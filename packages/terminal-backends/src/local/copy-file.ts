import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, type FileHandle, rename, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '@talaria/core';
import { createTemporaryFile } from '../host-files/host-file.ts';
import { localError } from './local-error.ts';

/** Options of {@link copyFileAtomically}. */
export interface CopyFileOptions {
  readonly verifyHash: boolean;
  /** Most bytes that the file may have. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** What was copied. */
export interface CopiedFile {
  readonly bytes: number;
  readonly sha256: string | undefined;
}

/** Up to here the system copies by itself, which is fastest but cannot be stopped in between. */
const maxUninterruptedBytes = 268_435_456;
const pieceBytes = 4_194_304;

/** A file that was opened to be copied, and by what path. */
export interface SourceFile {
  readonly path: string;
  readonly file: FileHandle;
}

/** Copies one file under a temporary name, gives it mode and time of the source, checks it, and renames it into place. */
export async function copyFileAtomically(
  { path: source, file: from }: SourceFile,
  target: string,
  options: CopyFileOptions,
): Promise<CopiedFile> {
  const { signal, maxBytes, verifyHash } = options;
  signal?.throwIfAborted();
  const before = await from.stat();
  refuseTooLarge(source, before.size, maxBytes);
  await makeFolder(dirname(target));
  await using temporary = await createTemporaryFile(target);
  // A file of size 0 may be one of /proc, which has bytes all the same.
  if (before.size > 0 && before.size <= maxUninterruptedBytes) await copyFile(nameOf(from, source), temporary.path);
  else await copyInPieces(from, temporary.file, { ...options, source });
  signal?.throwIfAborted();
  const bytes = (await stat(temporary.path)).size;
  refuseTooLarge(source, bytes, maxBytes);
  // A file that somebody is writing to, such as a log, may have grown meanwhile: any length it had is right.
  const after = await from.stat();
  if (before.size > 0 && (bytes < Math.min(before.size, after.size) || bytes > Math.max(before.size, after.size))) {
    throw integrityError(source, `${bytes} bytes arrived of ${after.size}`);
  }
  const sha256 = verifyHash ? await compareHashes(nameOf(from, source), temporary.path, source, signal) : undefined;
  await chmod(temporary.path, before.mode & 0o777);
  await utimes(temporary.path, before.atime, before.mtime);
  signal?.throwIfAborted();
  await rename(temporary.path, target);
  return { bytes, sha256 };
}

/**
 * A name for the open file. By its first name a program could have put a pipe there meanwhile, and opening one that
 * nobody writes to would stop a thread of this process for good.
 */
function nameOf(file: FileHandle, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : path;
}

const zeros = Buffer.alloc(pieceBytes);

/** Pieces of zeros are left out, and so become holes: a disk image of many GB takes the place of its content only. */
async function copyInPieces(
  from: FileHandle,
  to: FileHandle,
  { source, maxBytes, signal }: CopyFileOptions & { readonly source: string },
): Promise<void> {
  const piece = Buffer.allocUnsafe(pieceBytes);
  let total = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await from.read(piece, 0, pieceBytes, null);
    if (bytesRead === 0) break;
    refuseTooLarge(source, total + bytesRead, maxBytes);
    const isHole = piece.compare(zeros, 0, bytesRead, 0, bytesRead) === 0;
    for (let written = isHole ? bytesRead : 0; written < bytesRead; ) {
      written += (await to.write(piece, written, bytesRead - written, total + written)).bytesWritten;
    }
    total += bytesRead;
  }
  await to.truncate(total);
}

async function compareHashes(
  original: string,
  copy: string,
  source: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const [expected, actual] = [await hashFile(original, signal), await hashFile(copy, signal)];
  if (expected !== actual) throw integrityError(source, `its SHA-256 is ${expected}, that of the copy ${actual}`);
  return actual;
}

async function hashFile(path: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: pieceBytes }), hash, { signal });
  return hash.digest('hex');
}

function refuseTooLarge(path: string, bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw localError(`${JSON.stringify(path)} has ${bytes} bytes; the transfer may have ${maxBytes} more`, {
    code: 'sandbox.too-large',
    phase: 'transfer',
    started: true,
    hint: 'Leave large files out, or raise maxBytes.',
  });
}

function integrityError(path: string, what: string): unknown {
  return localError(`The copy of ${JSON.stringify(path)} differs from it: ${what}`, {
    code: 'sandbox.integrity',
    phase: 'transfer',
    started: true,
    retryable: true,
    hint: 'Copy it again once nothing writes to it.',
  });
}
