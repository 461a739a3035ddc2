import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, open, rename, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createTemporaryFile } from './file-access.ts';
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

/** Copies one file under a temporary name, gives it mode and time of the source, checks it, and renames it into place. */
export async function copyFileAtomically(
  source: string,
  target: string,
  options: CopyFileOptions,
): Promise<CopiedFile> {
  const { signal, maxBytes, verifyHash } = options;
  signal?.throwIfAborted();
  const before = await stat(source);
  refuseTooLarge(source, before.size, maxBytes);
  await mkdir(dirname(target), { recursive: true });
  await using temporary = await createTemporaryFile(target);
  // A file of size 0 may be one of /proc, which has bytes all the same.
  if (before.size > 0 && before.size <= maxUninterruptedBytes) await copyFile(source, temporary.path);
  else await copyInPieces(source, temporary.path, options);
  signal?.throwIfAborted();
  const bytes = (await stat(temporary.path)).size;
  refuseTooLarge(source, bytes, maxBytes);
  // A file that somebody is writing to, such as a log, may have grown meanwhile: any length it had is right.
  const after = await stat(source);
  if (before.size > 0 && (bytes < Math.min(before.size, after.size) || bytes > Math.max(before.size, after.size))) {
    throw integrityError(source, `${bytes} bytes arrived of ${after.size}`);
  }
  const sha256 = verifyHash ? await compareHashes(source, temporary.path, signal) : undefined;
  await chmod(temporary.path, before.mode & 0o777);
  await utimes(temporary.path, before.atime, before.mtime);
  signal?.throwIfAborted();
  await rename(temporary.path, target);
  return { bytes, sha256 };
}

async function copyInPieces(source: string, target: string, options: CopyFileOptions): Promise<void> {
  await using from = await open(source, constants.O_RDONLY | constants.O_NONBLOCK);
  await using to = await open(target, 'w');
  const piece = Buffer.allocUnsafe(pieceBytes);
  for (let total = 0; ; ) {
    options.signal?.throwIfAborted();
    const { bytesRead } = await from.read(piece, 0, pieceBytes, null);
    if (bytesRead === 0) return;
    total += bytesRead;
    refuseTooLarge(source, total, options.maxBytes);
    for (let written = 0; written < bytesRead; ) {
      written += (await to.write(piece, written, bytesRead - written)).bytesWritten;
    }
  }
}

async function compareHashes(source: string, copy: string, signal: AbortSignal | undefined): Promise<string> {
  const [expected, actual] = [await hashFile(source, signal), await hashFile(copy, signal)];
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
