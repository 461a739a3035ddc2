import { errorMessage, raceAbort, settleWithin } from '@talaria/core';
import type { Browser } from 'playwright-core';
import type { UrlPolicy } from '../../web/url-policy/index.ts';
import { BrowserError } from '../browser-error.ts';
import { type ForwardProxy, openForwardProxy } from '../proxy/forward-proxy.ts';
import { holdRequests } from './hold-requests.ts';
import { firstLine, type LaunchedBrowser, launchBrowser } from './launch-browser.ts';
import { loadPlaywright } from './load-playwright.ts';
import type { PlaywrightSetup } from './playwright-driver-options.ts';

/** The one browser of a driver, with its proxy. Disposing of it ends both. */
export interface SharedBrowser extends AsyncDisposable {
  /** The browser that runs, or a new one where none does. @throws BrowserError `not_available`; rejects with the signal's reason */
  get(signal: AbortSignal): Promise<RunningBrowser>;
}

/** A browser and the proxy that its pages go through. */
export interface RunningBrowser {
  readonly browser: Browser;
  readonly proxy: ForwardProxy;
}

/** How long the browser may take to end before it is killed. */
const closeLimitMs = 10_000;

/** Creates it; nothing starts before it is needed. */
export function createSharedBrowser(setup: PlaywrightSetup): SharedBrowser {
  const { logger, urlPolicy: policy, maxStepBytes: maxClientBytes } = setup;
  let proxy: Promise<ForwardProxy> | undefined;
  let running: Promise<RunningBrowser> | undefined;
  let isDisposed = false;
  // Browsers that ended, until what they left is removed.
  const endings = new Set<Promise<unknown>>();

  function restart(): Promise<RunningBrowser> {
    const starting = start(() => {
      if (running === starting) running = undefined;
    });
    running = starting;
    starting.catch(() => {
      if (running === starting) running = undefined;
    });
    return starting;
  }

  async function start(forget: () => void): Promise<RunningBrowser> {
    proxy ??= openForwardProxy({ policy, maxClientBytes });
    const openProxy = await proxy;
    const playwright = setup.playwright ?? (await loadPlaywright());
    const { browser, clean } = await (setup.cdpUrl === undefined
      ? launchBrowser(playwright, setup, openProxy.url)
      : connect(() => playwright.chromium.connectOverCDP(setup.cdpUrl ?? '', { timeout: setup.launchTimeoutMs })));
    browser.on('disconnected', () => {
      forget();
      logger.info('browser.ended');
      const ending = clean().catch((error: unknown) =>
        logger.warn('browser.not-cleaned', { message: errorMessage(error) }),
      );
      endings.add(ending);
      void ending.finally(() => endings.delete(ending));
    });
    // What a browser does that others use, too, is not held.
    if (setup.cdpUrl === undefined) await holdOrClose(browser, policy);
    logger.info('browser.started', { version: browser.version() });
    return { browser, proxy: openProxy };
  }

  return {
    async get(signal) {
      signal.throwIfAborted();
      if (isDisposed) throw new BrowserError('not_available', 'The browser was shut down.');
      // The start is the driver's, which ends it; others may wait for it, too.
      const found = await raceAbort(running ?? restart(), signal);
      return found.browser.isConnected() ? found : await raceAbort(restart(), signal);
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      const last = running;
      await settleWithin(async () => (await last?.catch(() => undefined))?.browser.close(), closeLimitMs, logger);
      await settleWithin(async () => void (await Promise.all(endings)), closeLimitMs, logger);
      await (await proxy)?.[Symbol.asyncDispose]();
    },
  };
}

/** A browser whose requests cannot be held is of no use, and nobody else knows of it yet. */
async function holdOrClose(browser: Browser, policy: UrlPolicy): Promise<void> {
  try {
    await holdRequests(browser, policy);
  } catch (cause) {
    await browser.close().catch(() => undefined);
    const message = firstLine(errorMessage(cause));
    throw new BrowserError('not_available', `The browser ended while it started (${message}).`, {
      hint: 'Try again; if it ends every time, start it by hand to see why.',
      cause,
    });
  }
}

async function connect(open: () => Promise<Browser>): Promise<LaunchedBrowser> {
  try {
    return { browser: await open(), clean: async () => undefined };
  } catch (cause) {
    const message = firstLine(errorMessage(cause));
    throw new BrowserError('not_available', `The browser cannot be connected to (${message}).`, {
      hint: 'Start it with --remote-debugging-port, and give its address as cdpUrl.',
      cause,
    });
  }
}
