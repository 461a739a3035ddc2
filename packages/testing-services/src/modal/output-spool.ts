import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';

/**
 * All output of one stream of a process, so that a reader may begin anywhere in it, as often as it likes. What does not
 * fit into a little memory goes to a file, which has no name any more and vanishes with the spool.
 */
export interface OutputSpool extends Disposable {
  /** Bytes so far. */
  readonly length: number;
  /** Bytes that no reader has asked for yet. */
  readonly unreadLength: number;
  append(chunk: Uint8Array): void;
  /** Nothing will follow. */
  end(): void;
  /** From `offset` to the end, as it arrives. Rejects with the signal's reason. */
  read(offset: number, signal: AbortSignal): AsyncGenerator<Uint8Array>;
}

/** Options of {@link createOutputSpool}. */
export interface OutputSpoolOptions {
  /** Where the file is to be, if there is to be one. It must not exist. */
  readonly path: string;
  /** Called when a reader took something. */
  readonly onRead: () => void;
}

/** Bytes that stay in memory. */
const memoryBytes = 64 * 1024;

/** Bytes of one message to the client. */
const chunkBytes = 64 * 1024;

/** Creates an empty spool. */
export function createOutputSpool(options: OutputSpoolOptions): OutputSpool {
  let memory = Buffer.alloc(0);
  let file: number | undefined;
  let length = 0;
  let readUpTo = 0;
  let isEnded = false;
  const waiting = new Set<() => void>();

  function wake(): void {
    const readers = [...waiting];
    waiting.clear();
    for (const reader of readers) reader();
  }

  function slice(offset: number): Uint8Array {
    const size = Math.min(chunkBytes, length - offset);
    if (file === undefined) return memory.subarray(offset, offset + size);
    const chunk = Buffer.allocUnsafe(size);
    return chunk.subarray(0, readSync(file, chunk, 0, size, offset));
  }

  return {
    get length() {
      return length;
    },
    get unreadLength() {
      return length - readUpTo;
    },
    append(chunk) {
      if (file === undefined && length + chunk.length > memoryBytes) {
        file = openSync(options.path, 'wx+', 0o600);
        unlinkSync(options.path);
        writeWhole(file, memory, 0);
        memory = Buffer.alloc(0);
      }
      if (file === undefined) memory = Buffer.concat([memory, chunk]);
      else writeWhole(file, chunk, length);
      length += chunk.length;
      wake();
    },
    end() {
      isEnded = true;
      wake();
    },
    async *read(offset, signal) {
      let position = offset;
      while (true) {
        signal.throwIfAborted();
        if (position < length) {
          const chunk = slice(position);
          position += chunk.length;
          readUpTo = Math.max(readUpTo, position);
          yield chunk;
          options.onRead();
        } else if (isEnded) {
          return;
        } else {
          await nextWake(waiting, signal);
        }
      }
    },
    [Symbol.dispose]() {
      isEnded = true;
      wake();
      if (file !== undefined) closeSync(file);
      file = undefined;
      length = 0;
    },
  };
}

function nextWake(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      waiting.delete(wake);
      reject(signal.reason);
    };
    const wake = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    signal.addEventListener('abort', leave, { once: true });
    waiting.add(wake);
  });
}

function writeWhole(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done);
}
