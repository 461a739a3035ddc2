import { raceAbort, settleWithin } from '@talaria/core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { BrowserSession, BrowserStep, NavigationOutcome } from '../browser-driver.ts';
import { BrowserError, noEarlierPage } from '../browser-error.ts';
import { createConsoleLog } from '../console-log.ts';
import { createPageNotes, type PageNotes } from '../page-notes.ts';
import type { ForwardProxy } from '../proxy/forward-proxy.ts';
import { describeRefusal, type ProxyClient } from '../proxy/proxy-client.ts';
import { explainPageError } from './explain-page-error.ts';
import { guardRequests } from './guard-requests.ts';
import { navigatePage } from './navigate-page.ts';
import { elementOf, fillIn, hasEarlierPage, imagesOf, scrollPage } from './page-actions.ts';
import { openPageStack, type PageStack } from './page-stack.ts';
import type { PlaywrightSetup } from './playwright-driver-options.ts';
import { actAndSettle } from './settle.ts';
import { takeScreenshot } from './take-screenshot.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { watchAddresses } from './watch-addresses.ts';

/** What {@link openPlaywrightSession} takes. */
export interface PlaywrightSessionOptions {
  readonly browser: Browser;
  readonly proxy: ForwardProxy;
  readonly setup: PlaywrightSetup;
  /** Called once when the session was disposed of; never when it could not be opened. */
  readonly leave: () => void;
}

/** Dialogs of one step after which a page is closed. */
const maxDialogs = 20;
/** How long closing may take. */
const closeLimitMs = 10_000;

/** Opens a session: a context of its own in the browser, all of whose traffic goes through the proxy. */
export async function openPlaywrightSession(options: PlaywrightSessionOptions): Promise<BrowserSession> {
  const { browser, proxy, setup } = options;
  const client = proxy.addClient();
  let context: BrowserContext | undefined;
  try {
    context = await browser.newContext({
      // Loopback is reached by the proxy, too, whatever variables of the package say.
      proxy: { server: proxy.url, username: client.username, password: client.password, bypass: '<-loopback>' },
      viewport: { ...setup.viewport },
      acceptDownloads: false,
      serviceWorkers: 'block',
    });
    return await startSession({ ...options, context, client });
  } catch (error) {
    client[Symbol.dispose]();
    await settleWithin(async () => context?.close(), closeLimitMs, setup.logger);
    throw explainPageError(error, { kind: 'not_available', why: 'The browser ended while it was opened.' });
  }
}

interface OpenContext extends PlaywrightSessionOptions {
  readonly context: BrowserContext;
  readonly client: ProxyClient;
}

async function startSession({ browser, setup, context, client, leave }: OpenContext): Promise<BrowserSession> {
  const ending = new AbortController();
  const notes = createPageNotes();
  const log = createConsoleLog();
  let dialogCount = 0;
  const countDialog = (): boolean => {
    dialogCount += 1;
    return dialogCount > maxDialogs;
  };
  await guardRequests(context, setup.urlPolicy, client);
  const pages = await openPageStack({ context, setup, notes, events: { notes, log, countDialog } });
  const areRequestsHeld = setup.cdpUrl === undefined;
  watchAddresses({ context, policy: setup.urlPolicy, client, areRequestsHeld, end: pages.end });
  const lose = (): void => ending.abort(lostBrowser());
  browser.on('disconnected', lose);
  context.on('close', lose);
  let disposal: Promise<void> | undefined;

  async function perform<Value>(
    step: BrowserStep,
    action: (page: Page, signal: AbortSignal) => Promise<Value>,
    mayReplace = false,
  ): Promise<Value> {
    const signal = AbortSignal.any([step.signal, ending.signal]);
    signal.throwIfAborted();
    client.renewBudget();
    dialogCount = 0;
    try {
      const wasReplaced = await pages.renew(signal);
      if (wasReplaced && !mayReplace) throw hungPage();
      return await raceAbort(action(pages.current, signal), signal);
    } catch (error) {
      if (step.signal.aborted) pages.suspect();
      // An error that is the browser's end is told as that, however it looked.
      signal.throwIfAborted();
      throw explainPageError(error, pages.lastEnd);
    } finally {
      tellRefusals(client, notes);
    }
  }

  function act<Value>(step: BrowserStep, action: (page: Page, signal: AbortSignal) => Promise<Value>): Promise<Value> {
    return perform(step, (page, signal) =>
      actAndSettle({ page, shownPage: () => pages.current, clock: setup.clock, signal }, () => action(page, signal)),
    );
  }

  async function close(): Promise<void> {
    browser.off('disconnected', lose);
    context.off('close', lose);
    ending.abort(new BrowserError('interrupted', 'The browser was closed.'));
    client[Symbol.dispose]();
    await settleWithin(() => context.close(), closeLimitMs, setup.logger);
    leave();
  }

  const limits = (signal: AbortSignal) => ({ timeout: setup.actionTimeoutMs, signal });
  return {
    console: log,
    takeNotes: () => notes.take(),
    get isLost() {
      return ending.signal.aborted;
    },
    state: (step) => perform(step, async (page) => ({ url: page.url(), title: await page.title() }), true),
    navigate(url, step): Promise<NavigationOutcome> {
      const checked = setup.urlPolicy.checkUrl(url);
      const freshPage = async (): Promise<Page> => {
        await pages.end(pages.current);
        return pages.current;
      };
      return perform(
        step,
        (page, signal) => navigatePage(page, checked.href, { client, notes, signal, freshPage }),
        true,
      );
    },
    snapshot: (step) => perform(step, takeSnapshot),
    click: (ref, step) => act(step, async (page, signal) => (await elementOf(page, ref)).click(limits(signal))),
    type: (ref, text, step) =>
      act(step, async (page, signal) => fillIn(await elementOf(page, ref), text, limits(signal))),
    press: (key, step) => act(step, (page) => page.keyboard.press(key)),
    scroll: (direction, step) => act(step, (page) => scrollPage(page, direction)),
    back: (step) => perform(step, (page, signal) => goBack(page, pages, signal)),
    images: (step) => perform(step, imagesOf),
    screenshot: ({ isAnnotated }, step) => perform(step, (page, signal) => takeScreenshot(page, isAnnotated, signal)),
    [Symbol.asyncDispose]() {
      disposal ??= close();
      return disposal;
    },
  };
}

async function goBack(page: Page, pages: PageStack, signal: AbortSignal): Promise<void> {
  if (await hasEarlierPage(page)) await page.goBack({ waitUntil: 'domcontentloaded', timeout: 0, signal });
  else if (pages.hasOpener) await pages.end(page);
  else throw noEarlierPage();
}

function tellRefusals(client: ProxyClient, notes: PageNotes): void {
  for (const refusal of client.takeRefusals()) notes.add(describeRefusal(refusal));
}

function lostBrowser(): BrowserError {
  return new BrowserError(
    'not_available',
    'The browser ended unexpectedly, and its pages are lost. Open the page again with browser_navigate.',
  );
}

function hungPage(): BrowserError {
  return new BrowserError(
    'not_available',
    'The page did not answer any more and was closed. Open another one with browser_navigate.',
  );
}
