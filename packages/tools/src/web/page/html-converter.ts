import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import {
  type Clock,
  createSemaphore,
  errorMessage,
  isAbortOf,
  type Logger,
  openDeadline,
  silentLogger,
} from '@talaria/core';
import type { MarkdownPage } from './html-to-markdown.ts';
import { htmlToPlainText } from './plain-text.ts';

/** What {@link createHtmlConverter} takes. */
export interface HtmlConverterOptions {
  readonly clock: Clock;
  /** Pages that are converted at the same time; each takes a thread. @default 2 */
  readonly maxWorkers?: number | undefined;
  /** How long a page may take before only its text is given, in milliseconds. @default 15_000 */
  readonly timeoutMs?: number | undefined;
  /** Memory of a thread, in MiB. @default 512 */
  readonly maxMemoryMiB?: number | undefined;
  /** Longest HTML that is converted, in UTF-16 units; the rest is left out. @default 2_000_000 */
  readonly maxHtmlChars?: number | undefined;
  /** Hears of pages of which only the text could be given. @default silent */
  readonly logger?: Logger | undefined;
}

/** A page as Markdown, or as plain text. */
export interface ConvertedPage extends MarkdownPage {
  /** Whether the structure was lost, since the page is too large or too odd to be understood. */
  readonly isPlainText: boolean;
  /** Whether the end of the HTML was left out. */
  readonly isTruncated: boolean;
}

/** Turns HTML into Markdown. Rejects only with the signal's reason. */
export type ConvertHtml = (html: string, url: string, signal: AbortSignal | undefined) => Promise<ConvertedPage>;

/**
 * Creates a converter. Each page has a thread of its own, since a page can be made so that to understand it takes minutes
 * and gigabytes: the thread is ended then, and the page given as plain text.
 */
export function createHtmlConverter(options: HtmlConverterOptions): ConvertHtml {
  const { clock, maxWorkers = 2, timeoutMs = 15_000, maxMemoryMiB = 512, maxHtmlChars = 2_000_000 } = options;
  const { logger = silentLogger } = options;
  const places = createSemaphore(maxWorkers);

  return async (html, url, signal) => {
    const kept = html.slice(0, maxHtmlChars);
    const isTruncated = kept.length < html.length;
    using _place = await places.acquire(signal);
    using deadline = openDeadline(clock, timeoutMs, signal);
    try {
      const page = await runWorker({ html: kept, url }, maxMemoryMiB, deadline.signal);
      return { ...page, isPlainText: false, isTruncated };
    } catch (error) {
      if (isAbortOf(error, signal)) throw error;
      logger.warn('web.page-not-converted', { url, message: errorMessage(error) });
      return { title: '', markdown: htmlToPlainText(kept), isPlainText: true, isTruncated };
    }
  };
}

/** The worker beside this file: the source where this is the source, else what it was compiled to. */
const workerPath = new URL(import.meta.url.endsWith('.ts') ? './html-worker.ts' : './html-worker.js', import.meta.url);

/** Converts one page in a thread and ends the thread. */
async function runWorker(
  workerData: { readonly html: string; readonly url: string },
  maxOldGenerationSizeMb: number,
  signal: AbortSignal,
): Promise<MarkdownPage> {
  signal.throwIfAborted();
  const worker = new Worker(fileURLToPath(workerPath), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb, stackSizeMb: 4 },
    // Neither settings nor variables of the process concern it, and what libraries print concerns nobody.
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  });
  try {
    return await new Promise<MarkdownPage>((resolve, reject) => {
      const stop = (): void => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => {
        signal.removeEventListener('abort', stop);
        reject(new Error('The conversion ended without a result'));
      });
    });
  } finally {
    await worker.terminate();
  }
}
