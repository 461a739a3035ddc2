import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { openRegularFile } from '../../host-files/host-file.ts';
import { nullWhereMissing } from '../../host-files/path-stats.ts';
import { skipReasons, type TreePlan, treeTooLarge } from '../../host-files/plan-tree.ts';
import { remoteError } from '../remote-error.ts';
import type { FileCall } from './file-call.ts';
import { tarBlockBytes, tarPadding, writeTarHeader } from './tar-header.ts';

/** What an archive of a tree of the host is made of. */
export interface TreeArchive {
  readonly call: FileCall;
  readonly root: string;
  readonly plan: TreePlan;
  /** What names in the archive start with: empty, or a folder and a slash. */
  readonly prefix: string;
  /** Folders, by path, that are to keep the mode and time that they have. */
  readonly keptFolders: ReadonlySet<string>;
  /** Name of the last file. */
  readonly endMark: string;
  readonly maxBytes: number;
  readonly followsLinks: boolean;
  readonly hasSums: boolean;
}

/** What went into an archive. */
export interface ArchivedTree {
  files: number;
  bytes: number;
  /** SHA-256 sums by path, where they were asked for. */
  readonly sums: Map<string, string>;
  readonly skipped: { readonly path: string; readonly reason: string }[];
}

/** Files up to this size are read whole, several at a time. */
const maxSmallBytes = 262_144;
const pieceBytes = 1_048_576;
/** Small enough to stay in the processor's cache. */
const reusedPieceBytes = 262_144;
const readsAtOnce = 16;

/**
 * Writes a tree as an archive, in pieces of a size that is fast to send. Folders come last, innermost first: until then tar
 * makes them with the rights to be filled, and filling would change their times.
 */
export async function* archiveTree(archive: TreeArchive, done: ArchivedTree): AsyncGenerator<Buffer> {
  const { plan, prefix, keptFolders } = archive;
  yield* joinPieces(archiveFiles(archive, done));
  const rest: Buffer[] = [];
  for (const { path, target } of plan.links) {
    rest.push(writeTarHeader({ ...plainEntry, name: prefix + path, kind: 'symlink', linkName: target }));
  }
  rest.push(writeTarHeader({ ...plainEntry, name: archive.endMark, kind: 'file' }));
  for (const { path, stats } of plan.folders.toReversed()) {
    if (!keptFolders.has(path)) rest.push(folderHeader(prefix + path, path === '' ? 0o700 : stats.mode & 0o777, stats));
  }
  rest.push(Buffer.alloc(tarBlockBytes * 2));
  yield Buffer.concat(rest);
}

const plainEntry = { mode: 0o777, sizeBytes: 0, modifiedSeconds: 0 };

function folderHeader(name: string, mode: number, stats: Stats): Buffer {
  const plain = name.replace(/\/$/, '');
  return writeTarHeader({ name: plain, kind: 'directory', mode, sizeBytes: 0, modifiedSeconds: stats.mtimeMs / 1_000 });
}

/** A file that was opened, and all of it where it is small. */
interface OpenedFile {
  readonly path: string;
  readonly stats: Stats;
  readonly content: Buffer | FileHandle;
}

async function* archiveFiles(archive: TreeArchive, done: ArchivedTree): AsyncGenerator<Buffer> {
  const { call, root, plan, prefix, maxBytes, hasSums } = archive;
  const opened = readAhead(plan.files, readsAtOnce, ({ path }) => openFile(archive, path), closeFile);
  for await (const file of opened) {
    if (file.stats === null) {
      done.skipped.push({ path: file.path, reason: skipReasons.removed });
      continue;
    }
    const { path, stats, content } = file;
    const sizeBytes = Buffer.isBuffer(content) ? content.length : stats.size;
    done.bytes += sizeBytes;
    if (done.bytes > maxBytes) throw treeTooLarge(root, call.backend, 'maxBytes', maxBytes);
    const hash = hasSums ? createHash('sha256') : null;
    yield writeTarHeader({
      name: prefix + path,
      kind: 'file',
      mode: stats.mode & 0o777,
      sizeBytes,
      modifiedSeconds: stats.mtimeMs / 1_000,
    });
    for await (const piece of Buffer.isBuffer(content) ? [content] : readPieces(content, sizeBytes, path, call)) {
      hash?.update(piece);
      yield piece;
    }
    if (tarPadding(sizeBytes) > 0) yield Buffer.alloc(tarPadding(sizeBytes));
    if (hash !== null) done.sums.set(path, hash.digest('hex'));
    done.files += 1;
  }
}

async function openFile(
  { call, root, followsLinks, maxBytes }: TreeArchive,
  path: string,
): Promise<OpenedFile | { readonly path: string; readonly stats: null }> {
  // Programs go on while their files are copied.
  const file = await openRegularFile(join(root, path), call.backend, followsLinks).catch(nullWhereMissing);
  if (file === null) return { path, stats: null };
  let isKept = false;
  try {
    const stats = await file.stat();
    if (stats.size > maxSmallBytes) {
      isKept = true;
      return { path, stats, content: file };
    }
    return { path, stats, content: await readSmall(file, stats.size, maxBytes) };
  } finally {
    if (!isKept) await file.close();
  }
}

async function readSmall(file: FileHandle, sizeBytes: number, maxBytes: number): Promise<Buffer> {
  if (sizeBytes === 0) return await readUnsized(file, maxBytes);
  const content = Buffer.allocUnsafe(sizeBytes);
  let filled = 0;
  while (filled < sizeBytes) {
    const { bytesRead } = await file.read(content, filled, sizeBytes - filled, null);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return content.subarray(0, filled);
}

/** Most bytes of a file that does not say its size: it is read into memory. */
const maxUnsizedBytes = 67_108_864;

/** Reads a file that says that it has no bytes: one of `/proc` has some all the same. Gives one piece more than the limit. */
export async function readUnsized(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const limit = Math.min(maxBytes, maxUnsizedBytes);
  const pieces: Buffer[] = [];
  let bytes = 0;
  while (bytes <= limit) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(65_536), 0, null, null);
    if (bytesRead === 0) break;
    pieces.push(buffer.subarray(0, bytesRead));
    bytes += bytesRead;
  }
  return Buffer.concat(pieces);
}

async function closeFile(file: OpenedFile | { readonly path: string; readonly stats: null }): Promise<void> {
  if (file.stats !== null && !Buffer.isBuffer(file.content)) await file.content.close();
}

/**
 * Reads exactly so many bytes, the next piece while the last one is being used. A file that grows is read as far as it
 * went. With `reusesPieces` a piece holds its bytes only until the next one is asked for, which spares the memory of each.
 * @throws SandboxError `sandbox.integrity` for one that became shorter
 */
export async function* readPieces(
  file: FileHandle,
  sizeBytes: number,
  path: string,
  { backend, signal }: FileCall,
  reusesPieces = false,
): AsyncGenerator<Buffer> {
  const kept = reusesPieces ? [0, 1].map(() => Buffer.allocUnsafeSlow(reusedPieceBytes)) : [];
  let count = 0;
  const readAt = (position: number) => {
    const buffer = kept[count % 2] ?? Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes - position));
    count += 1;
    return file.read(buffer, 0, Math.min(buffer.length, sizeBytes - position), position);
  };
  let position = 0;
  let reading = sizeBytes > 0 ? readAt(0) : null;
  try {
    while (reading !== null) {
      signal?.throwIfAborted();
      const { bytesRead, buffer } = await reading;
      reading = null;
      if (bytesRead === 0) throw becameShorter(path, backend, position, sizeBytes);
      position += bytesRead;
      if (position < sizeBytes) reading = readAt(position);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    // The file must not be closed under a read.
    await reading?.catch(() => undefined);
  }
}

function becameShorter(path: string, backend: FileCall['backend'], has: number, had: number): unknown {
  return remoteError(backend, `${JSON.stringify(path)} became shorter while it was copied: ${has} bytes of ${had}`, {
    code: 'sandbox.integrity',
    phase: 'transfer',
    started: true,
    retryable: true,
    hint: 'Copy it again once nothing writes to it.',
  });
}

/** Applies an action to items, some of them ahead of their turn; what was not taken is discarded. */
async function* readAhead<Item, Result>(
  items: readonly Item[],
  count: number,
  action: (item: Item) => Promise<Result>,
  discard: (result: Result) => Promise<void>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  let nextIndex = 0;
  function startNext(): void {
    const item = items[nextIndex];
    if (item === undefined) return;
    nextIndex += 1;
    const result = action(item);
    // It is waited for in its turn; until then a failure is no unhandled one.
    result.catch(() => undefined);
    running.push(result);
  }
  while (running.length < count && nextIndex < items.length) startNext();
  try {
    for (let next = running.shift(); next !== undefined; next = running.shift()) {
      const result = await next;
      try {
        startNext();
        yield result;
      } finally {
        await discard(result);
      }
    }
  } finally {
    for (const result of await Promise.allSettled(running)) {
      if (result.status === 'fulfilled') await discard(result.value);
    }
  }
}

const sentBytes = 262_144;

/** Joins small pieces to ones of a size that is fast to send; large ones pass as they are. */
async function* joinPieces(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < sentBytes) continue;
    yield waiting.length === 1 && waiting[0] !== undefined ? waiting[0] : Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
