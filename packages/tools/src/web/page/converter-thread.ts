import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { raceAbort } from '@talaria/core';
import type { MarkdownPage } from './html-to-markdown.ts';

/** What a thread converts. */
export interface HtmlPage {
  readonly html: string;
  readonly url: string;
  /** Most Markdown that is given, in UTF-16 units. */
  readonly maxChars: number;
}

/** What a thread made of a page. */
export interface ThreadResult extends MarkdownPage {
  /** Whether the end of the Markdown was left out. */
  readonly isCut: boolean;
}

/** A thread that converts one page. */
export interface ConverterThread {
  /** What it made of the page. Rejects where it failed, and with the signal's reason. */
  finish(signal: AbortSignal): Promise<ThreadResult>;
  /** Ends the thread, whatever it does; resolves once it is gone. Never rejects. */
  end(): Promise<void>;
}

/** The worker beside this file: the source where this is the source, else what it was compiled to. */
const workerPath = new URL(import.meta.url.endsWith('.ts') ? './html-worker.ts' : './html-worker.js', import.meta.url);

/** Starts one. It has at most `maxMemoryMiB`, and ends with an error where that is not enough. */
export function openThread(workerData: HtmlPage, maxMemoryMiB: number): ConverterThread {
  const worker = new Worker(fileURLToPath(workerPath), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMiB, stackSizeMb: 4 },
    // Neither settings nor variables of the process concern it, and what libraries print concerns nobody.
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  });
  const outcome = new Promise<ThreadResult>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The conversion ended without a result')));
  });
  // Nobody may be waiting for it when the thread is ended.
  outcome.catch(() => undefined);
  return {
    finish: (signal) => raceAbort(outcome, signal),
    async end() {
      await worker.terminate();
    },
  };
}
