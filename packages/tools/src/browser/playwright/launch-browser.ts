import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '@talaria/core';
import type { Browser, LaunchOptions } from 'playwright-core';
import { BrowserError } from '../browser-error.ts';
import { findChromium } from './find-chromium.ts';
import type { Playwright } from './load-playwright.ts';
import type { PlaywrightSetup } from './playwright-driver-options.ts';

/** A browser that runs, and what it leaves on the disk. */
export interface LaunchedBrowser {
  readonly browser: Browser;
  /** Removes what the browser left; to be called when it has ended. */
  readonly clean: () => Promise<void>;
}

/**
 * Starts Chromium so that nothing of it gets past the proxy: no names are resolved, no datagrams sent, not even to this
 * machine. Its files are in a folder of its own.
 *
 * @throws BrowserError `not_available`
 */
export async function launchBrowser(
  { chromium }: Playwright,
  setup: PlaywrightSetup,
  proxyUrl: string,
): Promise<LaunchedBrowser> {
  const executablePath = setup.executablePath ?? findChromium();
  if (executablePath === undefined) {
    throw new BrowserError('not_available', 'No Chromium is installed here.', {
      hint: 'Install it, or name its program.',
    });
  }
  const home = await mkdtemp(join(setup.temporaryFolder, 'talaria-browser-'));
  const clean = (): Promise<void> => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    const options = launchOptions(setup, executablePath, home, proxyUrl);
    return { browser: await launchSandboxed(chromium, setup, options), clean };
  } catch (cause) {
    await clean();
    const message = firstLine(errorMessage(cause));
    throw new BrowserError('not_available', `The browser could not be started (${message}).`, {
      hint: 'Run `talaria tools doctor` to see what is missing.',
      cause,
    });
  }
}

async function launchSandboxed(
  chromium: Playwright['chromium'],
  { chromiumSandbox, logger }: PlaywrightSetup,
  options: LaunchOptions,
): Promise<Browser> {
  if (chromiumSandbox === 'off') return chromium.launch({ ...options, chromiumSandbox: false });
  try {
    return await chromium.launch({ ...options, chromiumSandbox: true });
  } catch (error) {
    const message = errorMessage(error);
    if (chromiumSandbox === 'on' || !/sandbox/i.test(message)) throw error;
    logger.warn('browser.unsandboxed', { message: 'Chromium runs without its sandbox, which does not work here' });
    return chromium.launch({ ...options, chromiumSandbox: false });
  }
}

function launchOptions(
  { args, environment, isHeadless, launchTimeoutMs }: PlaywrightSetup,
  executablePath: string,
  home: string,
  proxyUrl: string,
): LaunchOptions {
  return {
    executablePath,
    headless: isHeadless,
    // Of an argument that is there twice the last one counts.
    args: [...args, ...policyArguments],
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      LANG: 'C.UTF-8',
      ...environment,
      HOME: home,
      TMPDIR: home,
    },
    artifactsDir: join(home, 'artifacts'),
    proxy: { server: proxyUrl, bypass: '<-loopback>' },
    timeout: launchTimeoutMs,
    // Signals are the program's that uses this library.
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
  };
}

const policyArguments: readonly string[] = [
  '--disable-quic',
  '--dns-prefetch-disable',
  // Everything goes to the proxy by its address; a name that is looked up here is a way around it.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  // What people type is no business of a service that recognises forms.
  '--autofill-server-url=http://127.0.0.1:1/',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-pings',
];

/** Messages of the package go on with the program's whole output. */
export function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}
