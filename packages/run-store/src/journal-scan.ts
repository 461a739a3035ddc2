import type { Logger } from '@talaria/core';
import type { FileLine } from './file-lines.ts';
import { type JournalEntry, readJournal } from './journal-reader.ts';
import { RolloutIndex } from './rollout-index.ts';

/** A line of a journal that cannot be read. It stays where it is. */
export interface DamagedLine {
  readonly path: string;
  /** 1-based. */
  readonly lineNumber: number;
  readonly reason: string;
}

/** What was found in the journals when the folder was opened. All zero for a new run. */
export interface ResumeReport {
  /** Records that count. */
  readonly rolloutCount: number;
  /** Records whose key was there before; the first counts. */
  readonly duplicateCount: number;
  /** Lines that cannot be read. */
  readonly damagedCount: number;
  /** The first 100 of them. */
  readonly damagedLines: readonly DamagedLine[];
  /** Bytes that were cut off behind the last whole line: a record that was never reported as done. */
  readonly tornBytes: number;
}

/** Where a journal file ends. */
export interface JournalEnd {
  /** End of the last whole record. */
  readonly sizeBytes: number;
  /** The last record is whole but for its newline. */
  readonly lacksNewline: boolean;
}

/** Most damaged lines that are described. */
const maxDescribed = 100;

/** Reads journals into an index, one record in memory at a time. */
export class JournalScan {
  readonly index: RolloutIndex = new RolloutIndex();
  readonly #logger: Logger;
  readonly #damagedLines: DamagedLine[] = [];
  #damagedCount = 0;
  #duplicateCount = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Reads one file and tells where it ends. */
  async read(path: string, signal: AbortSignal | undefined): Promise<JournalEnd & { readonly tornBytes: number }> {
    let end = { sizeBytes: 0, lacksNewline: false, tornBytes: 0 };
    for await (const entry of readJournal(path, { signal })) {
      const { line } = entry;
      if (entry.kind === 'torn') {
        this.#logger.warn('journal.torn-line', { path, lineNumber: line.number, bytes: line.length });
        end = { ...end, tornBytes: line.length };
        continue;
      }
      this.#take(path, entry);
      end = { sizeBytes: line.offset + line.length, lacksNewline: !line.isTerminated, tornBytes: 0 };
    }
    return end;
  }

  report(tornBytes: number): ResumeReport {
    return {
      rolloutCount: this.index.count,
      duplicateCount: this.#duplicateCount,
      damagedCount: this.#damagedCount,
      damagedLines: this.#damagedLines,
      tornBytes,
    };
  }

  #take(path: string, entry: Exclude<JournalEntry, { kind: 'torn' }>): void {
    if (entry.kind === 'damaged') {
      this.#noteDamaged(path, entry.line, entry.reason);
      return;
    }
    const { rollout, line } = entry;
    if (this.index.add(rollout, { path, offset: line.offset, length: line.length })) return;
    this.#duplicateCount += 1;
    const { itemKey, sample, attempt } = rollout;
    this.#logger.warn('journal.duplicate', { path, lineNumber: line.number, itemKey, sample, attempt });
  }

  #noteDamaged(path: string, line: FileLine, reason: string): void {
    this.#damagedCount += 1;
    if (this.#damagedLines.length >= maxDescribed) return;
    this.#damagedLines.push({ path, lineNumber: line.number, reason });
    this.#logger.warn('journal.damaged-line', { path, lineNumber: line.number, reason });
  }
}
