import type { ToolAvailability } from '../../tool.ts';
import type { BrowserDriver, BrowserSession } from '../browser-driver.ts';
import { createSessionPool } from '../session-pool.ts';
import { findChromium, isExecutable } from './find-chromium.ts';
import { findPlaywrightProblem } from './load-playwright.ts';
import { openPlaywrightSession } from './open-playwright-session.ts';
import {
  type PlaywrightDriverOptions,
  type PlaywrightSetup,
  resolvePlaywrightOptions,
} from './playwright-driver-options.ts';
import { createSharedBrowser } from './shared-browser.ts';

/**
 * Creates a driver of Chromium by the optional peer `playwright-core`. One browser process serves all sessions; it starts
 * with the first one and again after it was killed. All that pages load goes through a proxy of this process, which holds
 * every address to the URL policy.
 *
 * @throws ConfigError `config.invalid`
 */
export function createPlaywrightDriver(options: PlaywrightDriverOptions = {}): BrowserDriver {
  const setup = resolvePlaywrightOptions(options);
  const sessions = createSessionPool(setup.maxSessions);
  const shared = createSharedBrowser(setup);

  async function openSession(signal: AbortSignal, leave: () => void): Promise<BrowserSession> {
    const { browser, proxy } = await shared.get(signal);
    try {
      return await openPlaywrightSession({ browser, proxy, setup, leave });
    } catch (error) {
      signal.throwIfAborted();
      // One that was killed a moment ago may not be known to be gone before it is asked for something.
      if (browser.isConnected()) throw error;
      const next = await shared.get(signal);
      return await openPlaywrightSession({ ...next, setup, leave });
    }
  }

  return {
    name: 'playwright',
    canTakeScreenshots: true,
    checkAvailability: () => availabilityOf(setup),
    open: ({ signal }) => sessions.open((leave) => openSession(signal, leave), signal),
    async [Symbol.asyncDispose]() {
      await sessions[Symbol.asyncDispose]();
      await shared[Symbol.asyncDispose]();
    },
  };
}

function availabilityOf({ playwright, executablePath, cdpUrl }: PlaywrightSetup): ToolAvailability {
  const problem = playwright === undefined ? findPlaywrightProblem() : undefined;
  if (problem !== undefined) return { isAvailable: false, reason: problem.message.replace(/^The/, 'the') };
  if (cdpUrl !== undefined) return { isAvailable: true };
  if (executablePath !== undefined && !isExecutable(executablePath)) {
    return { isAvailable: false, reason: `${executablePath} is no program that can be run` };
  }
  if (executablePath === undefined && findChromium() === undefined) {
    return { isAvailable: false, reason: 'neither Chromium nor Chrome is installed' };
  }
  return { isAvailable: true };
}
