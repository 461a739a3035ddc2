import { availableParallelism } from 'node:os';
import { type Clock, errorMessage, isAbortOf, type Logger, openDeadline, silentLogger } from '@talaria/core';
import { createConverterPlaces } from './converter-places.ts';
import { type ConverterThread, type HtmlPage, openThread, type ThreadResult } from './converter-thread.ts';
import type { MarkdownPage } from './html-to-markdown.ts';
import { htmlToPlainText } from './plain-text.ts';

/** What {@link createHtmlConverter} takes. */
export interface HtmlConverterOptions {
  readonly clock: Clock;
  /**
   * Pages that are converted at the same time; each takes a thread. One rollout has at most half of them.
   * @default as many as there are processors, 2 to 8
   */
  readonly maxWorkers?: number | undefined;
  /** How long a page waits for a thread before only its text is given, in milliseconds. @default 10_000 */
  readonly maxWaitMs?: number | undefined;
  /** How long a page may take before only its text is given, in milliseconds. @default 15_000 */
  readonly timeoutMs?: number | undefined;
  /** Memory of a thread, in MiB. @default 512 */
  readonly maxMemoryMiB?: number | undefined;
  /** Longest HTML that is converted, and longest Markdown that is given, in UTF-16 units. @default 2_000_000 */
  readonly maxHtmlChars?: number | undefined;
  /** Hears of pages of which only the text could be given. @default silent */
  readonly logger?: Logger | undefined;
}

/** A page as Markdown, or as plain text. */
export interface ConvertedPage extends MarkdownPage {
  /** Whether the structure was lost, since the page is too large or too odd to be understood. */
  readonly isPlainText: boolean;
  /** Whether the end of the HTML or of the Markdown was left out. */
  readonly isTruncated: boolean;
}

/** How one page is converted. */
export interface ConversionOptions {
  readonly signal?: AbortSignal | undefined;
  /** When the caller gives up, in milliseconds from now: before that only the text is given. @default never */
  readonly timeLimitMs?: number | undefined;
  /** Whoever shares the threads with others. @default nobody, who may have all of them */
  readonly caller?: object | undefined;
}

/** Turns HTML into Markdown. Disposing waits for threads that were told to end. */
export interface HtmlConverter extends AsyncDisposable {
  /** Rejects only with the signal's reason, once the thread has ended. */
  convert(html: string, url: string, options: ConversionOptions): Promise<ConvertedPage>;
}

/** What is left of the caller's time for the plain text: a tenth, but no more than this, in milliseconds. */
const maxPlainTextMs = 2_000;

/**
 * Creates a converter. Each page has a thread of its own, since a page can be made so that to understand it takes minutes
 * and gigabytes: the thread is ended then, and the page given as plain text. So is one for which no thread is free in time.
 */
export function createHtmlConverter(options: HtmlConverterOptions): HtmlConverter {
  const { clock, maxWaitMs = 10_000, timeoutMs = 15_000, maxMemoryMiB = 512, maxHtmlChars = 2_000_000 } = options;
  const { logger = silentLogger, maxWorkers = defaultWorkers() } = options;
  const places = createConverterPlaces(maxWorkers);
  const endings = new Set<Promise<void>>();

  async function convertInThread(page: HtmlPage, conversion: ConversionOptions): Promise<ThreadResult> {
    const { signal, caller, timeLimitMs = Number.POSITIVE_INFINITY } = conversion;
    const giveUpMs = clock.monotonicMs() + timeLimitMs - Math.min(maxPlainTextMs, timeLimitMs / 10);
    const within = (limitMs: number) => openDeadline(clock, Math.min(limitMs, giveUpMs - clock.monotonicMs()), signal);
    if (giveUpMs <= clock.monotonicMs()) throw new Error('No time is left');
    using waiting = within(maxWaitMs);
    const place = await places.acquire(caller, waiting.signal);
    waiting[Symbol.dispose]();
    using deadline = within(timeoutMs);
    let thread: ConverterThread | undefined;
    try {
      thread = openThread(page, maxMemoryMiB);
      return await thread.finish(deadline.signal);
    } finally {
      const ending = Promise.resolve(thread?.end()).finally(() => {
        place[Symbol.dispose]();
        endings.delete(ending);
      });
      endings.add(ending);
      // A thread that is short of memory ends late; the plain text does not wait for it.
      if (!deadline.isExpired()) await ending;
    }
  }

  return {
    async convert(html, url, conversion) {
      const kept = html.slice(0, maxHtmlChars);
      const isTruncated = kept.length < html.length;
      try {
        const page = await convertInThread({ html: kept, url, maxChars: maxHtmlChars }, conversion);
        const { title, markdown, isCut } = page;
        return { title, markdown, isPlainText: false, isTruncated: isTruncated || isCut };
      } catch (error) {
        if (isAbortOf(error, conversion.signal)) throw error;
        logger.warn('web.page-not-converted', { url, message: errorMessage(error) });
        return { title: '', markdown: htmlToPlainText(kept), isPlainText: true, isTruncated };
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(endings);
    },
  };
}

function defaultWorkers(): number {
  return Math.max(2, Math.min(8, availableParallelism()));
}
