import { errorMessage, openDeadline, raceAbort, settleWithin } from '@talaria/core';
import type { BrowserContext, Page } from 'playwright-core';
import type { ToolErrorKind } from '../../tool.ts';
import type { PageNotes } from '../page-notes.ts';
import { stopLoading } from './page-actions.ts';
import type { PlaywrightSetup } from './playwright-driver-options.ts';
import { type PageEvents, watchPage } from './watch-page.ts';

/** The pages of a session: the one that is shown, above those that opened it. */
export interface PageStack {
  /** The page that is shown. */
  readonly current: Page;
  readonly hasOpener: boolean;
  /** Begins a step: there is a page afterwards, and it answers; gives whether one that did not was replaced. */
  renew(signal: AbortSignal): Promise<boolean>;
  /** Tells that a step was broken off, so that the page may not answer any more. */
  suspect(): void;
  /** Closes the page, so that the one below is shown, or a blank one; with a reason where that was not asked for. */
  end(page: Page, reason?: PageEnd): Promise<void>;
  /** Why the last page was closed, where that was not asked for. */
  readonly lastEnd: PageEnd | undefined;
}

/** Why a page was closed that nobody asked to close. */
export interface PageEnd {
  readonly kind: ToolErrorKind;
  /** A sentence, fit for the model. */
  readonly why: string;
}

/** What {@link openPageStack} takes. */
export interface PageStackOptions {
  readonly context: BrowserContext;
  readonly setup: PlaywrightSetup;
  readonly notes: PageNotes;
  readonly events: Omit<PageEvents, 'end'>;
}

/** Windows above each other; more are closed. */
const maxPages = 8;
/** How long a page may take to answer after a step was broken off. */
const answerLimitMs = 3_000;
/** How long a page may take to close. */
const closeLimitMs = 5_000;

/** Opens the first, blank page and follows what pages open. */
export async function openPageStack({ context, setup, notes, events }: PageStackOptions): Promise<PageStack> {
  const { clock, logger, popups } = setup;
  const pages: Page[] = [];
  let isOpening = false;
  let isSuspect = false;
  let isClosed = false;
  let lastEnd: PageEnd | undefined;
  let change: Promise<void> = Promise.resolve();

  function watch(page: Page): void {
    watchPage(page, {
      ...events,
      end: (why) => void end(page, { kind: 'not_available', why }),
    });
    page.on('close', () => remove(page));
  }

  function remove(page: Page): void {
    const index = pages.indexOf(page);
    if (index >= 0) pages.splice(index, 1);
    if (pages.length > 0 || isClosed) return;
    change = change
      .then(() => (pages.length > 0 || isClosed ? undefined : openBlank()))
      .catch((error: unknown) => logger.debug('browser.no-page', { message: errorMessage(error) }));
  }

  async function openBlank(): Promise<void> {
    isOpening = true;
    try {
      const page = await context.newPage();
      watch(page);
      pages.push(page);
    } finally {
      isOpening = false;
    }
  }

  async function end(page: Page, reason?: PageEnd): Promise<void> {
    if (reason !== undefined) {
      lastEnd = reason;
      notes.add(reason.why);
    }
    // One that hangs takes its time to close; the next step need not wait for it. The context closes what is left.
    void settleWithin(() => page.close({ runBeforeUnload: false }), closeLimitMs, logger);
    remove(page);
    await change;
  }

  async function answers(page: Page, signal: AbortSignal): Promise<boolean> {
    using deadline = openDeadline(clock, answerLimitMs, signal);
    try {
      const answer = stopLoading(page).then(() => page.evaluate('1'));
      await raceAbort(answer, deadline.signal);
      return true;
    } catch {
      // A page that was closed or hangs; only an abort is none of its doing.
      signal.throwIfAborted();
      return false;
    }
  }

  context.on('close', () => {
    isClosed = true;
  });
  context.on('page', (page) => {
    if (isOpening) return;
    if (popups === 'close' || pages.length >= maxPages) {
      notes.add('The page opened a new window, which was closed.');
      void end(page);
      return;
    }
    watch(page);
    pages.push(page);
    notes.add('The page opened a new window, which is shown now. browser_back closes it.');
  });
  await openBlank();

  return {
    get current() {
      const page = pages.at(-1);
      if (page === undefined) throw new Error('Target page has been closed');
      return page;
    },
    get hasOpener() {
      return pages.length > 1;
    },
    get lastEnd() {
      return lastEnd;
    },
    suspect() {
      isSuspect = true;
    },
    async renew(signal) {
      await raceAbort(change, signal);
      lastEnd = undefined;
      if (pages.length === 0) await openBlank();
      const page = pages.at(-1);
      if (!isSuspect || page === undefined) return false;
      const isAlive = await answers(page, signal);
      isSuspect = false;
      if (isAlive) return false;
      await end(page);
      return true;
    },
    end,
  };
}
