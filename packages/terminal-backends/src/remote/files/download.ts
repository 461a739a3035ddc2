import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '@talaria/core';
import { createTemporaryFile, followLinks, refuseIrregular } from '../../host-files/host-file.ts';
import { statOrNull } from '../../host-files/path-stats.ts';
import { defaultMaxBytes } from '../../host-files/plan-tree.ts';
import type { TransferOptions, TransferResult } from '../../sandbox.ts';
import { remoteError } from '../remote-error.ts';
import { ByteReader } from './byte-reader.ts';
import { compareSums } from './compare-sums.ts';
import type { Download } from './download-script.ts';
import { downloadTree } from './download-tree.ts';
import { type FileCall, onHost } from './file-call.ts';
import { readLine } from './read-file.ts';
import { expectSuccess, withScript } from './running-script.ts';
import { downloadScript } from './transfer-scripts.ts';

/** Copies a file or a folder of the sandbox to the host. */
export async function downloadPath(
  call: FileCall,
  hostPath: string,
  options: TransferOptions,
): Promise<TransferResult> {
  return await onHost(call, hostPath, () =>
    withScript(call, [downloadScript, []], false, async (running) => {
      const streamed = await readLine(running, call);
      if (streamed.kind === 'D') return await downloadTree(call, hostPath, options, { running, streamed });
      return await downloadFile(call, hostPath, options, { running, streamed });
    }),
  );
}

const pieceBytes = 1_048_576;

async function downloadFile(
  call: FileCall,
  hostPath: string,
  options: TransferOptions,
  { running, streamed }: Download,
): Promise<TransferResult> {
  const { maxBytes = defaultMaxBytes, verifyHash = false } = options;
  const { stat, content } = streamed;
  if (stat.sizeBytes > maxBytes) throw fileTooLarge(call, stat.sizeBytes, maxBytes);
  const end = await followLinks(hostPath, call.backend);
  const there = await statOrNull(end);
  if (there !== null) refuseIrregular(end, there, call.backend);
  await makeFolder(dirname(end));
  await using temporary = await createTemporaryFile(end);
  const hash = verifyHash ? createHash('sha256') : null;
  const bytes = await writeContent(content, temporary.file, (piece, total) => {
    if (total > maxBytes) throw fileTooLarge(call, total, maxBytes);
    hash?.update(piece);
  });
  await expectSuccess(running, call);
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

/** Writes what comes in pieces that are fast to write, each while the next is awaited; gives the number of bytes. */
async function writeContent(
  content: AsyncIterable<Buffer>,
  file: FileHandle,
  onPiece: (piece: Buffer, total: number) => void,
): Promise<number> {
  const reader = new ByteReader(content);
  let total = 0;
  let writing: Promise<void> = Promise.resolve();
  for (let isMore = true; isMore; ) {
    isMore = await reader.fill(pieceBytes);
    await writing;
    const piece = reader.take(isMore ? pieceBytes : reader.bufferedBytes);
    total += piece.length;
    onPiece(piece, total);
    writing = file.appendFile(piece);
    // It is waited for in the next round; until then a failure is no unhandled one.
    writing.catch(() => undefined);
  }
  await writing;
  return total;
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
