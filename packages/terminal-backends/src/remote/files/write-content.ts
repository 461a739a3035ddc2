import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { ByteReader } from './byte-reader.ts';

/** Mode and time of something that is to be written. */
export interface WrittenStats {
  /** Permission bits. */
  readonly mode: number;
  /** Milliseconds since 1970; `null` leaves it as it is. */
  readonly modifiedAt: number | null;
}

/** The bytes of a file, as they come in a stream. */
export interface FileBytes {
  readonly reader: ByteReader;
  readonly sizeBytes: number;
  /** Hears the SHA-256 sum, in lower-case hex. */
  readonly onSum?: (sum: string) => void;
}

/** Of so many bytes a file is written at once. */
export const pieceBytes = 1_048_576;

/** Writes the bytes that come next, some while the next are awaited; `false` where the stream ends before. */
export async function writeFrom(content: FileBytes, file: FileHandle): Promise<boolean> {
  const { reader, sizeBytes, onSum } = content;
  const hash = onSum === undefined ? null : createHash('sha256');
  let writing: Promise<void> = Promise.resolve();
  for (let left = sizeBytes; left > 0; ) {
    const bytes = Math.min(left, pieceBytes);
    const isThere = await reader.fill(bytes);
    await writing;
    if (!isThere) return false;
    const piece = reader.take(bytes);
    hash?.update(piece);
    writing = writeFully(file, piece);
    // It is waited for in the next round; until then a failure is no unhandled one.
    writing.catch(() => undefined);
    left -= bytes;
  }
  await writing;
  if (hash !== null) onSum?.(hash.digest('hex'));
  return true;
}

/** Writes all of it: a disk that gets full takes a part. */
export async function writeFully(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten;
}

/** Gives a file its mode and time. */
export async function setStats(file: FileHandle, { mode, modifiedAt }: WrittenStats): Promise<void> {
  if (modifiedAt !== null) await file.utimes(modifiedAt / 1_000, modifiedAt / 1_000);
  await file.chmod(mode & 0o777);
}
