import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type JsonObject, type Logger, makeFolder, silentLogger } from '@talaria/core';
import { createDurableAppender, type DurableAppender } from './durable-appender.ts';
import { withStorageErrors } from './storage-error.ts';
import { syncFolder } from './sync-folder.ts';
import { openUniqueFile, type UniqueFile } from './unique-file.ts';

/** Options of {@link openLineWriter}. */
export interface LineWriterOptions {
  /**
   * `true`: append to the file of exactly this path, after dropping a torn last line; made where it is missing.
   * `false`: never touch a file that exists, see `openUniqueFile`. @default false
   */
  readonly resume?: boolean | undefined;
  /** Lines after which the file is flushed to disk; 1 = before every append resolves. @default 1 */
  readonly syncEvery?: number | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
}

/** Writes JSON Lines. Dispose of it to flush and close the file. */
export interface LineWriter extends AsyncDisposable {
  /** The file that is written: where not resumed, it may have a suffix. */
  readonly path: string;
  /**
   * Appends one object as a line. Lines stand in the order of the calls; no half line is ever left.
   * @throws StateError `state.no-space`, `state.not-writable`, `state.closed`
   */
  append(row: JsonObject): Promise<void>;
  /** Resolves once every line so far is on disk. */
  flush(): Promise<void>;
}

/** Opens a file of exports: group lines, rows, samples. @throws StateError `state.not-writable`, `state.no-space` */
export async function openLineWriter(path: string, options: LineWriterOptions = {}): Promise<LineWriter> {
  const { resume = false, syncEvery = 1, logger = silentLogger } = options;
  const { path: openedPath, handle } = resume ? await openExisting(path) : await openUniqueFile(path);
  const sizeBytes = await withStorageErrors('write', openedPath, async () => {
    try {
      return await dropTornLine(handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  });
  await syncFolder(dirname(openedPath));
  const appender = createDurableAppender({ handle, path: openedPath, sizeBytes, syncEvery, logger });
  return createLineWriter(openedPath, appender);
}

function createLineWriter(path: string, appender: DurableAppender): LineWriter {
  return {
    path,
    async append(row) {
      await appender.append(Buffer.from(`${JSON.stringify(row)}\n`));
    },
    flush: () => appender.flush(),
    [Symbol.asyncDispose]: () => appender[Symbol.asyncDispose](),
  };
}

async function openExisting(path: string): Promise<UniqueFile> {
  await withStorageErrors('create', dirname(path), () => makeFolder(dirname(path)));
  return { path, handle: await withStorageErrors('write', path, () => open(path, 'a+')) };
}

const newline = 0x0a;
const blockBytes = 64 * 1024;

/** Cuts the file behind its last newline, which is looked for from the end; gives the bytes that are left. */
async function dropTornLine(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  let end = size;
  while (end > 0) {
    const start = Math.max(0, end - blockBytes);
    const block = Buffer.alloc(end - start);
    await handle.read(block, 0, block.length, start);
    const last = block.lastIndexOf(newline);
    if (last !== -1) {
      end = start + last + 1;
      break;
    }
    end = start;
  }
  if (end < size) await handle.truncate(end);
  return end;
}
