import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createId } from '@talaria/core';
import { withStorageErrors } from './storage-error.ts';
import { syncFolder } from './sync-folder.ts';
import { writeFully } from './write-fully.ts';

/** Text in one piece or in many, made while it is written. */
export type TextSource = string | Iterable<string> | AsyncIterable<string>;

/** Options of {@link writeAtomic}. */
export interface WriteAtomicOptions {
  /** Stops between two pieces; the old file stays. */
  readonly signal?: AbortSignal | undefined;
}

/** How much text is collected before it is written, in UTF-16 units. */
const chunkChars = 64 * 1024;

/**
 * Writes a file so that a reader sees the old content or the new, never a part: a temporary name in the same folder,
 * flushed to disk, then renamed. On failure or abort the old file stays and the temporary one is removed.
 *
 * @throws StateError `state.no-space`, `state.not-writable`, `state.missing` (the folder)
 */
export async function writeAtomic(path: string, text: TextSource, options: WriteAtomicOptions = {}): Promise<void> {
  const { signal } = options;
  signal?.throwIfAborted();
  const temporaryPath = join(dirname(path), `.${basename(path)}.${createId('write')}.tmp`);
  await withStorageErrors('write', path, async () => {
    try {
      await writeNew(temporaryPath, text, signal);
      await rename(temporaryPath, path);
    } catch (error) {
      await rm(temporaryPath, { force: true });
      throw error;
    }
  });
  await syncFolder(dirname(path));
}

async function writeNew(path: string, text: TextSource, signal: AbortSignal | undefined): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await writePieces(handle, typeof text === 'string' ? [text] : text, signal);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function writePieces(
  handle: FileHandle,
  pieces: Iterable<string> | AsyncIterable<string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let waiting = '';
  for await (const piece of pieces) {
    signal?.throwIfAborted();
    waiting += piece;
    if (waiting.length < chunkChars) continue;
    await writeFully(handle, Buffer.from(waiting));
    waiting = '';
  }
  await writeFully(handle, Buffer.from(waiting));
}
