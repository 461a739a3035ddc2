import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '@talaria/core';
import { createTemporaryFile, followLinks, refuseIrregular } from '../../host-files/host-file.ts';
import { statOrNull } from '../../host-files/path-stats.ts';
import { defaultMaxBytes } from '../../host-files/plan-tree.ts';
import type { FileStat, TransferOptions, TransferResult } from '../../sandbox.ts';
import { remoteError } from '../remote-error.ts';
import { compareSums } from './compare-sums.ts';
import type { FileCall } from './file-call.ts';

/** A file that comes from the sandbox. */
export interface IncomingFile {
  readonly stat: FileStat;
  readonly content: AsyncIterable<Buffer>;
  /** Makes sure that the content was complete. @default it makes sure itself */
  readonly finish?: (() => Promise<void>) | undefined;
}

/** Saves it on the host, in one step. */
export async function saveFile(
  call: FileCall,
  hostPath: string,
  { maxBytes = defaultMaxBytes, verifyHash = false }: TransferOptions,
  { stat, content, finish }: IncomingFile,
): Promise<TransferResult> {
  if (stat.sizeBytes > maxBytes) throw fileTooLarge(call, stat.sizeBytes, maxBytes);
  const end = await followLinks(hostPath, call.backend);
  const there = await statOrNull(end);
  if (there !== null) refuseIrregular(end, there, call.backend);
  await makeFolder(dirname(end));
  await using temporary = await createTemporaryFile(end);
  const hash = verifyHash ? createHash('sha256') : null;
  const bytes = await writeContent(content, temporary.file, (chunk, total) => {
    if (total > maxBytes) throw fileTooLarge(call, total, maxBytes);
    hash?.update(chunk);
  });
  await finish?.();
  // A file that somebody is writing to, such as a log, may have grown meanwhile.
  if (bytes < stat.sizeBytes) throw becameShorter(call, bytes, stat.sizeBytes);
  const sha256 = hash?.digest('hex');
  if (sha256 !== undefined) await compareSums(call, new Map([['', sha256]]));
  await temporary.file.utimes(stat.modifiedAt / 1_000, stat.modifiedAt / 1_000);
  await temporary.file.chmod(stat.mode & 0o777);
  call.signal?.throwIfAborted();
  await rename(temporary.path, end);
  const result = { files: 1, bytes, skipped: [] };
  return sha256 === undefined ? result : { ...result, sha256 };
}

/** So much is written at once: less takes longer. */
const batchBytes = 1_048_576;

/** Writes what comes, each batch while the next is awaited; gives the number of bytes. */
async function writeContent(
  content: AsyncIterable<Buffer>,
  file: FileHandle,
  onChunk: (chunk: Buffer, total: number) => void,
): Promise<number> {
  let total = 0;
  let batch: Buffer[] = [];
  let batched = 0;
  let writing: Promise<void> = Promise.resolve();
  async function writeBatch(): Promise<void> {
    await writing;
    writing = writeAll(file, batch, batched);
    // It is waited for in the next round; until then a failure is no unhandled one.
    writing.catch(() => undefined);
    batch = [];
    batched = 0;
  }
  try {
    for await (const chunk of content) {
      total += chunk.length;
      onChunk(chunk, total);
      batch.push(chunk);
      batched += chunk.length;
      if (batched >= batchBytes) await writeBatch();
    }
    if (batched > 0) await writeBatch();
  } finally {
    // The file must not be closed under a write.
    await writing.catch(() => undefined);
  }
  await writing;
  return total;
}

async function writeAll(file: FileHandle, chunks: readonly Buffer[], byteCount: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  // A full disk takes a part, and says so when it is asked for more.
  if (bytesWritten < byteCount) await file.appendFile(Buffer.concat(chunks).subarray(bytesWritten));
}

function fileTooLarge({ backend, path }: FileCall, bytes: number, maxBytes: number): unknown {
  return remoteError(backend, `${JSON.stringify(path)} has ${bytes} bytes; the transfer may have ${maxBytes}`, {
    code: 'sandbox.too-large',
    phase: 'transfer',
    started: true,
    hint: 'Leave large files out, or raise maxBytes.',
  });
}

function becameShorter({ backend, path }: FileCall, bytes: number, sizeBytes: number): unknown {
  return remoteError(backend, `${bytes} bytes of ${JSON.stringify(path)} arrived of ${sizeBytes}`, {
    code: 'sandbox.integrity',
    phase: 'transfer',
    started: true,
    retryable: true,
    hint: 'Copy it again once nothing writes to it.',
  });
}
