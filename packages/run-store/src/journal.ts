import { constants, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger, makeFolder, StateError } from '@talaria/core';
import type { Rollout } from '@talaria/trajectories';
import { createDurableAppender, type DurableAppender } from './durable-appender.ts';
import { encodeJournalLine } from './journal-line.ts';
import { readJournal } from './journal-reader.ts';
import { type JournalEnd, JournalScan, type ResumeReport } from './journal-scan.ts';
import type { RecordPlace, RolloutIndex } from './rollout-index.ts';
import { withStorageErrors } from './storage-error.ts';
import { syncFolder } from './sync-folder.ts';
import { writeFully } from './write-fully.ts';

/** What {@link openJournal} needs. */
export interface JournalOptions {
  readonly folder: string;
  /** Names our own file. */
  readonly writer: string;
  readonly logger: Logger;
  readonly signal?: AbortSignal | undefined;
}

/** The records of a run: one file per writer, one of which is ours to append to. */
export interface Journal extends AsyncDisposable {
  readonly index: RolloutIndex;
  readonly report: ResumeReport;
  /** Resolves once the record is on disk. */
  append(rollout: Rollout): Promise<void>;
  /** All records that count, file by file, in the order in which they were written. */
  readAll(signal: AbortSignal | undefined): AsyncGenerator<Rollout>;
  /** The records of one item, by sample, then attempt. */
  readItem(itemKey: string, signal: AbortSignal | undefined): Promise<readonly Rollout[]>;
}

/**
 * On Linux a write can itself wait for the disk, which promises what `fdatasync` does and saves a trip through the
 * thread pool: a fifth of the time of a record. Elsewhere the promise of this flag is weaker.
 */
const writeThroughFlags: number | undefined =
  process.platform === 'linux'
    ? constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_DSYNC
    : undefined;

/** Reads what is there, repairs the end of our own file, and opens it for appending. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { folder, writer, logger, signal } = options;
  await withStorageErrors('create', folder, () => makeFolder(folder));
  const names = await withStorageErrors('read', folder, () => readdir(folder));
  const ownPath = join(folder, `${writer}.jsonl`);
  const paths = names
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(folder, name));
  const scan = new JournalScan(logger);
  let ownEnd: JournalEnd = { sizeBytes: 0, lacksNewline: false };
  let tornBytes = 0;
  for (const path of paths) {
    const end = await scan.read(path, signal);
    if (path !== ownPath) continue;
    ownEnd = end;
    tornBytes = end.tornBytes;
  }
  const appender = await openOwnFile(ownPath, ownEnd, logger);
  await syncFolder(folder);
  return new FileJournal({
    ownPath,
    otherPaths: paths.filter((path) => path !== ownPath),
    index: scan.index,
    report: scan.report(tornBytes),
    appender,
  });
}

/** Cuts off what a crash left behind the last whole record. Other writers' files are theirs to repair. */
async function openOwnFile(path: string, end: JournalEnd, logger: Logger): Promise<DurableAppender> {
  return await withStorageErrors('write', path, async () => {
    const handle = await open(path, writeThroughFlags ?? 'a');
    try {
      await handle.truncate(end.sizeBytes);
      if (end.lacksNewline) await writeFully(handle, Buffer.from('\n'));
      await handle.datasync();
    } catch (error) {
      await handle.close();
      throw error;
    }
    const sizeBytes = end.sizeBytes + (end.lacksNewline ? 1 : 0);
    const syncEvery = writeThroughFlags === undefined ? 1 : 0;
    return createDurableAppender({ handle, path, sizeBytes, syncEvery, logger });
  });
}

interface FileJournalParts {
  readonly ownPath: string;
  readonly otherPaths: readonly string[];
  readonly index: RolloutIndex;
  readonly report: ResumeReport;
  readonly appender: DurableAppender;
}

class FileJournal implements Journal {
  readonly index: RolloutIndex;
  readonly report: ResumeReport;
  readonly #ownPath: string;
  readonly #otherPaths: readonly string[];
  readonly #appender: DurableAppender;

  constructor(parts: FileJournalParts) {
    this.index = parts.index;
    this.report = parts.report;
    this.#ownPath = parts.ownPath;
    this.#otherPaths = parts.otherPaths;
    this.#appender = parts.appender;
  }

  async append(rollout: Rollout): Promise<void> {
    const line = encodeJournalLine(rollout);
    if (!this.index.add(rollout, null)) throw duplicateError(rollout);
    try {
      const offset = await this.#appender.append(line);
      this.index.settle(rollout, { path: this.#ownPath, offset, length: line.length });
    } catch (error) {
      this.index.release(rollout);
      throw error;
    }
  }

  async *readAll(signal: AbortSignal | undefined): AsyncGenerator<Rollout> {
    for (const path of [...this.#otherPaths, this.#ownPath]) {
      const endBytes = path === this.#ownPath ? this.#appender.sizeBytes : undefined;
      for await (const entry of readJournal(path, { endBytes, signal })) {
        if (entry.kind !== 'record') continue;
        if (this.index.isAt(entry.rollout, path, entry.line.offset)) yield entry.rollout;
      }
    }
  }

  async readItem(itemKey: string, signal: AbortSignal | undefined): Promise<readonly Rollout[]> {
    const rollouts: Rollout[] = [];
    for (const place of this.index.placesOf(itemKey)) rollouts.push(await readRecord(place, signal));
    return rollouts;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#appender[Symbol.asyncDispose]();
  }
}

async function readRecord(place: RecordPlace, signal: AbortSignal | undefined): Promise<Rollout> {
  const { path, offset, length } = place;
  for await (const entry of readJournal(path, { startBytes: offset, endBytes: offset + length, signal })) {
    if (entry.kind === 'record') return entry.rollout;
  }
  throw new StateError(`The record at byte ${offset} of ${path} is gone`, {
    code: 'state.changed',
    hint: 'The journal was changed while the run had it open; end the run and resume it.',
  });
}

function duplicateError(rollout: Rollout): StateError {
  const { itemKey, sample, attempt } = rollout;
  return new StateError(`Sample ${sample}, attempt ${attempt} of item ${itemKey} is already in the journal`, {
    code: 'state.duplicate-record',
    hint: 'Ask `has` or `isDone` before running a sample, and count its attempts up.',
  });
}
