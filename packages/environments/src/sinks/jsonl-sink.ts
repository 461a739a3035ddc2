import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorMessage, type Logger, makeFolder, silentLogger } from '@talaria/core';
import type { MetricRecord, MetricSink } from '../metric-sink.ts';

/** Options of {@link createJsonlSink}. */
export interface JsonlSinkOptions {
  /** Hears of records that could not be written. @default silent */
  readonly logger?: Logger | undefined;
}

/** A sink that reports what it lost. */
export interface JsonlSink extends MetricSink {
  /** Records that could not be written. */
  readonly lostCount: number;
}

/**
 * Creates a sink that appends one line of JSON per record to a file: `{ step, ts, split, … }`. The file is opened on
 * first use. Disposing waits until everything is written.
 */
export function createJsonlSink(path: string, options: JsonlSinkOptions = {}): JsonlSink {
  const { logger = silentLogger } = options;
  let pending: string[] = [];
  let writing: Promise<void> | undefined;
  let lostCount = 0;
  let hasFolder = false;

  async function writePending(): Promise<void> {
    while (pending.length > 0) {
      const lines = pending;
      pending = [];
      try {
        if (!hasFolder) await makeFolder(dirname(path));
        hasFolder = true;
        await appendFile(path, lines.join(''));
      } catch (error) {
        lostCount += lines.length;
        logger.warn('metrics.lost', { path, records: lines.length, message: errorMessage(error) });
      }
    }
    writing = undefined;
  }

  return {
    name: 'jsonl',
    log(record) {
      pending.push(`${JSON.stringify(toLine(record))}\n`);
      writing ??= writePending();
    },
    get lostCount() {
      return lostCount;
    },
    async [Symbol.asyncDispose]() {
      await writing;
    },
  };
}

function toLine(record: MetricRecord): Readonly<Record<string, number | string>> {
  return { step: record.step, ts: record.at, split: record.split, ...record.metrics };
}
