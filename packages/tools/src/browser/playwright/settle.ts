import { type Clock, openDeadline, raceAbort } from '@talaria/core';
import type { BrowserContext, Frame, Page, Request } from 'playwright-core';
import { stopLoading } from './page-actions.ts';

/** How long a page has to begin something in answer to an action. */
const beginMs = 300;
/** How long what it fetches may take before the step goes on without it. */
const fetchMs = 2_000;
/** How long a page that it goes to may take. */
const loadMs = 15_000;

/** What {@link actAndSettle} needs. */
export interface SettleOptions {
  readonly page: Page;
  /** The page that is shown, which the action may change. */
  readonly shownPage: () => Page;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Does something to a page and waits, within bounds, until what it set off has come. */
export async function actAndSettle<Value>(options: SettleOptions, action: () => Promise<Value>): Promise<Value> {
  const { page, shownPage, clock, signal } = options;
  const pending = new Set<Request>();
  const commit = Promise.withResolvers<void>();
  let leaving: Request | undefined;
  let isOpening = false;
  let notifyDone: () => void = () => undefined;
  const begin = (request: Request): void => {
    pending.add(request);
    if (!request.isNavigationRequest()) return;
    const place = placeOf(request, page);
    if (place === 'page') leaving = request;
    else if (place === 'elsewhere') isOpening = true;
  };
  const finish = (request: Request): void => {
    pending.delete(request);
    if (pending.size === 0) notifyDone();
  };
  const fail = (request: Request): void => {
    finish(request);
    if (request === leaving) commit.resolve();
  };
  const arrive = (frame: Frame): void => {
    if (leaving !== undefined && frame === page.mainFrame()) commit.resolve();
  };
  const give = (): void => commit.resolve();
  const context = page.context();
  context.on('request', begin);
  context.on('requestfinished', finish);
  context.on('requestfailed', fail);
  page.on('framenavigated', arrive).once('close', give);
  try {
    const value = await action();
    await clock.sleep(beginMs, { signal });
    if (isOpening && shownPage() === page) await waitForWindow(context, signal);
    if (shownPage() !== page) await waitForDocument(shownPage(), Promise.resolve(), { clock, signal });
    else if (leaving !== undefined) await waitForDocument(page, commit.promise, { clock, signal });
    else if (pending.size > 0) {
      const done = new Promise<void>((resolve) => {
        notifyDone = resolve;
      });
      const limit = new AbortController();
      const timer = clock.sleep(fetchMs, { signal: limit.signal }).catch(() => undefined);
      await raceAbort(Promise.race([done, timer]), signal).finally(() => limit.abort());
    }
    return value;
  } finally {
    context.off('request', begin);
    context.off('requestfinished', finish);
    context.off('requestfailed', fail);
    page.off('framenavigated', arrive).off('close', give);
  }
}

/** What a navigation leads to another place: the page itself, a part of it, or a window that is being opened. */
function placeOf(request: Request, page: Page): 'page' | 'part' | 'elsewhere' {
  try {
    const frame = request.frame();
    if (frame.page() !== page) return 'elsewhere';
    return frame === page.mainFrame() ? 'page' : 'part';
  } catch {
    // The frame of a new window is told later than its first request.
    return 'elsewhere';
  }
}

/** Waits until a window that is being opened is told. */
async function waitForWindow(context: BrowserContext, signal: AbortSignal): Promise<void> {
  try {
    await context.waitForEvent('page', { timeout: fetchMs, signal });
  } catch {
    // It was refused, or closed at once.
    signal.throwIfAborted();
  }
}

/**
 * Waits until the document is there (`committed`) and was read. One that takes longer is given up, since the page before
 * would answer nothing.
 */
async function waitForDocument(
  page: Page,
  committed: Promise<void>,
  { clock, signal }: Pick<SettleOptions, 'clock' | 'signal'>,
): Promise<void> {
  using deadline = openDeadline(clock, loadMs, signal);
  try {
    // Until then the state is that of the page before.
    await raceAbort(committed, deadline.signal);
    await page.waitForLoadState('domcontentloaded', { timeout: 0, signal: deadline.signal });
    // A navigation that waits for its server does not show in the state of the page.
    await raceAbort(page.title(), deadline.signal);
  } catch {
    signal.throwIfAborted();
    if (!page.isClosed()) await raceAbort(stopLoading(page), signal).catch(() => signal.throwIfAborted());
  }
}

/** Waits a little until everything has come that belongs to the page. */
export async function waitForResources(page: Page, timeoutMs: number, signal: AbortSignal): Promise<void> {
  try {
    await page.waitForLoadState('load', { timeout: timeoutMs, signal });
  } catch {
    // Pages are read as they are: some never end loading.
    signal.throwIfAborted();
  }
}
