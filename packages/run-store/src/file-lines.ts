import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { withStorageErrors } from './storage-error.ts';

/** One line of a file, with its place in bytes. */
export interface FileLine {
  /** 1-based, counted from where the reading began. */
  readonly number: number;
  readonly offset: number;
  /** Bytes, the newline included where there is one. */
  readonly length: number;
  /** `null` where the line is longer than the limit or not UTF-8. */
  readonly text: string | null;
  /** `false` for what stands behind the last newline. */
  readonly isTerminated: boolean;
}

/** Options of {@link readFileLines}. */
export interface FileLinesOptions {
  /** Where to begin, in bytes: the start of a line. @default 0 */
  readonly startBytes?: number | undefined;
  /** Where to stop, in bytes. @default the end of the file */
  readonly endBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Longest line that is read, in bytes; a longer one is skipped without holding it. */
export const maxLineBytes: number = 256 * 1024 * 1024;

const chunkBytes = 256 * 1024;
const newline = 0x0a;

/** Reads a file line by line, one line in memory at a time. Stopping early closes it. @throws StateError */
export async function* readFileLines(path: string, options: FileLinesOptions = {}): AsyncGenerator<FileLine> {
  const { startBytes = 0, endBytes = Number.POSITIVE_INFINITY, signal } = options;
  signal?.throwIfAborted();
  const handle = await withStorageErrors('read', path, () => open(path, 'r'));
  try {
    const splitter = new LineSplitter(startBytes);
    let position = startBytes;
    while (position < endBytes) {
      signal?.throwIfAborted();
      const chunk = await readChunk(handle, path, position, Math.min(chunkBytes, endBytes - position));
      if (chunk.length === 0) break;
      position += chunk.length;
      yield* splitter.split(chunk);
    }
    yield* splitter.rest();
  } finally {
    await handle.close();
  }
}

async function readChunk(handle: FileHandle, path: string, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  const { bytesRead } = await withStorageErrors('read', path, () => handle.read(buffer, 0, length, position));
  return buffer.subarray(0, bytesRead);
}

class LineSplitter {
  #parts: Buffer[] = [];
  #length = 0;
  #offset: number;
  #number = 1;

  constructor(startBytes: number) {
    this.#offset = startBytes;
  }

  *split(chunk: Buffer): Generator<FileLine> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#add(chunk.subarray(start, end + 1));
      yield this.#take(true);
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  *rest(): Generator<FileLine> {
    if (this.#length > 0) yield this.#take(false);
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= maxLineBytes) this.#parts.push(part);
    else this.#parts = [];
  }

  #take(isTerminated: boolean): FileLine {
    const line: FileLine = {
      number: this.#number,
      offset: this.#offset,
      length: this.#length,
      text: this.#length <= maxLineBytes ? decode(this.#parts, isTerminated) : null,
      isTerminated,
    };
    this.#number += 1;
    this.#offset += this.#length;
    this.#length = 0;
    this.#parts = [];
    return line;
  }
}

function decode(parts: readonly Buffer[], isTerminated: boolean): string | null {
  const [first] = parts;
  const whole = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
  if (!isUtf8(whole)) return null;
  return whole.toString('utf8', 0, isTerminated ? whole.length - 1 : whole.length);
}
