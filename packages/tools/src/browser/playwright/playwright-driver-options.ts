import { tmpdir } from 'node:os';
import { type Clock, ConfigError, type Logger, silentLogger, systemClock } from '@talaria/core';
import { createUrlPolicy, type UrlPolicy } from '../../web/url-policy/index.ts';
import type { Playwright } from './load-playwright.ts';

/** What happens to windows that pages open: shown in place of their page, or closed. */
export type PopupPolicy = 'follow' | 'close';

/** What `createPlaywrightDriver` takes. */
export interface PlaywrightDriverOptions {
  /** Decides which addresses are reached, by anything that a page does. @default `createUrlPolicy()`: public ones */
  readonly urlPolicy?: UrlPolicy | undefined;
  /** Program of Chromium or Chrome. @default where systems install it */
  readonly executablePath?: string | undefined;
  /** A browser that runs already on this machine, `http://127.0.0.1:9222` or `ws://…`, in place of one that is started. */
  readonly cdpUrl?: string | undefined;
  /** Show no window. @default true */
  readonly isHeadless?: boolean | undefined;
  /** More arguments of the program. Those that would lead past the URL policy are refused. @default none */
  readonly args?: readonly string[] | undefined;
  /** More variables of the program's environment, which has `PATH`, `HOME` and `TMPDIR`. @default none */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /**
   * Chromium's sandbox around pages. `auto` starts without it where it does not work, as for root, and logs
   * `browser.unsandboxed`. @default 'auto'
   */
  readonly chromiumSandbox?: 'auto' | 'on' | 'off' | undefined;
  /** Sessions that are open at a time; others wait. @default 8 */
  readonly maxSessions?: number | undefined;
  /** @default 'follow' */
  readonly popups?: PopupPolicy | undefined;
  /** Size of the visible part, in pixels. @default 1280 × 720 */
  readonly viewport?: { readonly width: number; readonly height: number } | undefined;
  /** How long an element may be hidden, covered or moving before a click on it fails, in milliseconds. @default 10_000 */
  readonly actionTimeoutMs?: number | undefined;
  /** Bytes that a session may load from one step to the next. @default 33_554_432 */
  readonly maxStepBytes?: number | undefined;
  /** How long the browser may take to start, in milliseconds. @default 30_000 */
  readonly launchTimeoutMs?: number | undefined;
  /** Where temporary folders are made. @default the system's */
  readonly temporaryFolder?: string | undefined;
  /** The package, where it is not to be imported. @default `playwright-core`, imported when first needed */
  readonly playwright?: Playwright | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
  /** @default the real one */
  readonly clock?: Clock | undefined;
}

/** {@link PlaywrightDriverOptions} with the defaults filled in. */
export interface PlaywrightSetup {
  readonly urlPolicy: UrlPolicy;
  readonly executablePath: string | undefined;
  readonly cdpUrl: string | undefined;
  readonly isHeadless: boolean;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly chromiumSandbox: 'auto' | 'on' | 'off';
  readonly maxSessions: number;
  readonly popups: PopupPolicy;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly actionTimeoutMs: number;
  readonly maxStepBytes: number;
  readonly launchTimeoutMs: number;
  readonly temporaryFolder: string;
  readonly playwright: Playwright | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * Arguments that would take the proxy, and with it the policy, out of the way; Chromium takes them with one dash, too, and
 * blanks around them. `--` would end those of the driver, which come last.
 */
const refusedArguments =
  /^--?(?:no-proxy-server|proxy-|host-resolver-rules|host-rules|enable-quic|(?:force-)?webrtc-|remote-debugging-|user-data-dir)|^--$/;

/** Checks the options and fills in the defaults. @throws ConfigError `config.invalid` */
export function resolvePlaywrightOptions(options: PlaywrightDriverOptions): PlaywrightSetup {
  const { args = [], cdpUrl } = options;
  const refused = args.find((argument) => refusedArguments.test(argument.trim()));
  if (refused !== undefined) {
    throw invalid(`The browser argument ${refused} would lead past the URL policy`, 'Leave it out.');
  }
  if (cdpUrl !== undefined && !/^(?:https?|wss?):\/\//i.test(cdpUrl)) {
    throw invalid(`cdpUrl is ${JSON.stringify(cdpUrl)}`, 'Give an address as http://127.0.0.1:9222.');
  }
  return {
    urlPolicy: options.urlPolicy ?? createUrlPolicy(),
    executablePath: options.executablePath,
    cdpUrl,
    isHeadless: options.isHeadless ?? true,
    args,
    environment: options.environment ?? {},
    chromiumSandbox: options.chromiumSandbox ?? 'auto',
    maxSessions: positive('maxSessions', options.maxSessions ?? 8),
    popups: options.popups ?? 'follow',
    viewport: options.viewport ?? { width: 1280, height: 720 },
    actionTimeoutMs: positive('actionTimeoutMs', options.actionTimeoutMs ?? 10_000),
    maxStepBytes: positive('maxStepBytes', options.maxStepBytes ?? 33_554_432),
    launchTimeoutMs: positive('launchTimeoutMs', options.launchTimeoutMs ?? 30_000),
    temporaryFolder: options.temporaryFolder ?? tmpdir(),
    playwright: options.playwright,
    logger: options.logger ?? silentLogger,
    clock: options.clock ?? systemClock,
  };
}

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw invalid(`${name} is ${value}`, 'Give a number greater than 0.');
}

function invalid(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.invalid', hint });
}
