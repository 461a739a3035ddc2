import { type FileHandle, open } from 'node:fs/promises';
import { errorMessage, type JsonObject, type Logger, type RunEvent } from '@talaria/core';
import { writeFully } from './write-fully.ts';

/** Writes events to a file as they come: best effort, never failing the run. */
export interface EventLog extends AsyncDisposable {
  /** Returns at once. Where the disk cannot keep up or is full, events are dropped and counted. */
  record(event: RunEvent): void;
  /** Events that were not written. */
  readonly droppedCount: number;
}

/** Most text that waits to be written, in UTF-16 units. */
const maxWaitingChars = 8 * 1024 * 1024;

/** Creates the log of one file, which is opened with the first event. */
export function createEventLog(path: string, logger: Logger): EventLog {
  return new FileEventLog(path, logger);
}

class FileEventLog implements EventLog {
  readonly #path: string;
  readonly #logger: Logger;
  #handle: FileHandle | undefined;
  #waiting: string[] = [];
  #waitingChars = 0;
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #droppedCount = 0;

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  get droppedCount(): number {
    return this.#droppedCount;
  }

  record(event: RunEvent): void {
    if (this.#closing !== undefined || this.#waitingChars > maxWaitingChars) {
      this.#droppedCount += 1;
      return;
    }
    const line = `${JSON.stringify(encodeEvent(event))}\n`;
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    this.#writing ??= this.#writeAll();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #writeAll(): Promise<void> {
    // Gathers what the callers of this moment record into one write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      this.#waitingChars = 0;
      try {
        this.#handle ??= await this.#open();
        await writeFully(this.#handle, Buffer.from(lines.join('')));
      } catch (error) {
        if (this.#droppedCount === 0) {
          this.#logger.warn('events.not-written', { path: this.#path, message: errorMessage(error) });
        }
        this.#droppedCount += lines.length;
        await this.#closeHandle();
      }
    }
    this.#writing = undefined;
  }

  /** A kill or a full disk may have torn the last line: the next event begins on a line of its own. */
  async #open(): Promise<FileHandle> {
    const handle = await open(this.#path, 'a+');
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.from('\n'), 0, 1, Math.max(0, size - 1));
    if (buffer.toString() !== '\n') await writeFully(handle, Buffer.from('\n'));
    return handle;
  }

  async #close(): Promise<void> {
    await this.#writing;
    await this.#closeHandle();
    if (this.#droppedCount > 0) {
      this.#logger.warn('events.dropped', { path: this.#path, count: this.#droppedCount });
    }
  }

  async #closeHandle(): Promise<void> {
    try {
      await this.#handle?.close();
    } catch (error) {
      this.#logger.warn('events.not-closed', { path: this.#path, message: errorMessage(error) });
    }
    this.#handle = undefined;
  }
}

/** All fields of an event are ours, so their names are spelled as in every file; nested values are plain or the wire's. */
function encodeEvent(event: RunEvent): JsonObject {
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
