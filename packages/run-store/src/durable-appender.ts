import type { FileHandle } from 'node:fs/promises';
import { errorMessage, type Logger, StateError } from '@talaria/core';
import { toStorageError } from './storage-error.ts';
import { writeFully } from './write-fully.ts';

/** What {@link createDurableAppender} needs. The appender owns the handle. */
export interface DurableAppenderOptions {
  /** Opened for appending. */
  readonly handle: FileHandle;
  readonly path: string;
  /** Bytes that the file holds: the end of its last whole line. */
  readonly sizeBytes: number;
  /**
   * Lines after which the file is flushed to disk; 1 = before every append resolves; 0 = never, since the handle was
   * opened so that a write itself waits for the disk.
   */
  readonly syncEvery: number;
  readonly logger: Logger;
}

/**
 * Appends whole lines to one file, many at once by one write and one flush (group commit). Lines stand in the order of
 * the calls. After a failure the file is cut back to its last whole line, so that no half line can swallow the next.
 */
export interface DurableAppender extends AsyncDisposable {
  /** End of the last line that was written and, where due, flushed. */
  readonly sizeBytes: number;
  /**
   * Resolves with the offset of the line once it is written and, where due, on disk. `line` ends in a newline.
   * @throws StateError where it is not: then it, and every append that waited with it, is not in the file
   */
  append(line: Uint8Array): Promise<number>;
  /** Resolves once everything that was appended is on disk. */
  flush(): Promise<void>;
}

/** Most bytes that are gathered into one write. */
const maxBatchBytes = 8 * 1024 * 1024;

interface WaitingLine {
  readonly line: Uint8Array;
  readonly resolve: (offset: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates the one appender of a file. */
export function createDurableAppender(options: DurableAppenderOptions): DurableAppender {
  return new GroupCommitAppender(options);
}

class GroupCommitAppender implements DurableAppender {
  readonly #options: DurableAppenderOptions;
  #sizeBytes: number;
  #waiting: WaitingLine[] = [];
  #committing: Promise<void> | undefined;
  #unsyncedLines = 0;
  #hasLeftovers = false;
  #closing: Promise<void> | undefined;

  constructor(options: DurableAppenderOptions) {
    this.#options = options;
    this.#sizeBytes = options.sizeBytes;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  append(line: Uint8Array): Promise<number> {
    if (this.#closing !== undefined) return Promise.reject(closedError(this.#options.path));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, resolve, reject });
      this.#committing ??= this.#commitAll();
    });
  }

  async flush(): Promise<void> {
    await this.#committing;
    if (this.#unsyncedLines === 0) return;
    try {
      await this.#options.handle.datasync();
      this.#unsyncedLines = 0;
    } catch (error) {
      throw toStorageError(error, 'write', this.#options.path);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #commitAll(): Promise<void> {
    // Lets the callers of this moment join the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = takeBatch(this.#waiting);
      try {
        await this.#commit(batch);
      } catch (error) {
        await this.#cutLeftovers();
        const failure = toStorageError(error, 'write', this.#options.path);
        for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(failure);
      }
    }
    this.#committing = undefined;
  }

  async #commit(batch: readonly WaitingLine[]): Promise<void> {
    const { handle, syncEvery } = this.#options;
    if (this.#hasLeftovers) await handle.truncate(this.#sizeBytes);
    this.#hasLeftovers = true;
    const [first] = batch;
    await writeFully(handle, batch.length === 1 && first ? first.line : Buffer.concat(batch.map(({ line }) => line)));
    if (syncEvery > 0) await this.#syncWhenDue(batch.length);
    this.#hasLeftovers = false;
    for (const { line, resolve } of batch) {
      resolve(this.#sizeBytes);
      this.#sizeBytes += line.length;
    }
  }

  async #syncWhenDue(newLines: number): Promise<void> {
    this.#unsyncedLines += newLines;
    if (this.#unsyncedLines < this.#options.syncEvery) return;
    await this.#options.handle.datasync();
    this.#unsyncedLines = 0;
  }

  /** Where this fails, the next append tries again first, and fails too rather than write behind a half line. */
  async #cutLeftovers(): Promise<void> {
    try {
      await this.#options.handle.truncate(this.#sizeBytes);
      this.#hasLeftovers = false;
    } catch (error) {
      this.#options.logger.warn('file.not-cut-back', { path: this.#options.path, message: errorMessage(error) });
    }
  }

  async #close(): Promise<void> {
    const { handle, logger, path } = this.#options;
    try {
      await this.flush();
    } catch (error) {
      logger.error('file.not-flushed', { path, message: errorMessage(error) });
    }
    try {
      await handle.close();
    } catch (error) {
      logger.error('file.not-closed', { path, message: errorMessage(error) });
    }
  }
}

function takeBatch(waiting: WaitingLine[]): WaitingLine[] {
  let bytes = 0;
  let count = 0;
  for (const { line } of waiting) {
    if (count > 0 && bytes + line.length > maxBatchBytes) break;
    bytes += line.length;
    count += 1;
  }
  return waiting.splice(0, count);
}

function closedError(path: string): StateError {
  return new StateError(`Cannot write ${path}: it was closed`, {
    code: 'state.closed',
    hint: 'Await all appends before the folder or the writer is disposed of.',
  });
}
