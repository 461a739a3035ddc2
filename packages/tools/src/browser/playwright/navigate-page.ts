import { errorMessage } from '@talaria/core';
import type { Page, Response } from 'playwright-core';
import type { NavigationOutcome } from '../browser-driver.ts';
import { BrowserError } from '../browser-error.ts';
import type { PageNotes } from '../page-notes.ts';
import { describeRefusal, type ProxyClient, type RefusedRequest } from '../proxy/proxy-client.ts';
import { waitForResources } from './settle.ts';
import { isErrorPage, watchLoad, withoutHash } from './watch-load.ts';

/** How long scripts and images may take once the document was read. */
const resourcesMs = 3_000;
/** How long the page may take that tells of a failure. */
const errorPageMs = 2_000;

/** What {@link navigatePage} needs beside the page. */
export interface NavigationContext {
  /** Gives a page that is free, in place of one that does not let go. */
  readonly freshPage: () => Promise<Page>;
  readonly client: ProxyClient;
  readonly notes: PageNotes;
  readonly signal: AbortSignal;
}

/** Opens an address that was checked. @throws BrowserError that says why nothing was loaded, such as a redirect that is refused */
export async function navigatePage(page: Page, url: string, context: NavigationContext): Promise<NavigationOutcome> {
  const { client, notes, signal, freshPage } = context;
  client.takeRefusals();
  let shown = page;
  let outcome = await load(shown, url, context);
  if (outcome.kind === 'held') {
    shown = await freshPage();
    outcome = await load(shown, url, context);
  }
  const response = outcome.kind === 'loaded' || outcome.kind === 'broken' ? outcome.response : null;
  const loaded = withoutHash(response?.url() ?? url);
  const refusals = client.takeRefusals();
  // The proxy answers for an address of plain HTTP that it refuses; it, and no page, says so.
  const refused = refusals.find(({ target, kind }) => kind !== 'too_large' && target === loaded);
  if (refused !== undefined) throw failedDocument(refused);
  for (const refusal of refusals) notes.add(describeRefusal(refusal));
  if (outcome.kind === 'broken') notes.add('The page broke off; it is shown as far as it came.');
  else await waitForResources(shown, resourcesMs, signal);
  return { status: response?.status() ?? null };
}

/**
 * `broken`: the document ended in its middle. `left`: the page led elsewhere by itself. `held`: the page before went on by
 * itself, and the new one never came.
 */
type LoadOutcome =
  | { readonly kind: 'loaded' | 'broken'; readonly response: Response | null }
  | { readonly kind: 'left' | 'held' };

async function load(page: Page, url: string, { client, signal }: NavigationContext): Promise<LoadOutcome> {
  using watch = watchLoad(page, url);
  const over = new AbortController();
  async function go(): Promise<LoadOutcome> {
    const joined = AbortSignal.any([signal, over.signal]);
    return {
      kind: 'loaded',
      response: await page.goto(url, { waitUntil: 'domcontentloaded', timeout: 0, signal: joined }),
    };
  }
  try {
    return await Promise.race([go(), watch.brokenOff.then((response) => ({ kind: 'broken' as const, response }))]);
  } catch (error) {
    signal.throwIfAborted();
    const message = errorMessage(error);
    if (/Download is starting/i.test(message)) throw downloadRefused();
    if (/interrupted by another navigation/i.test(message)) return { kind: watch.hasCome ? 'left' : 'held' };
    if (/ERR_ABORTED/.test(message) && !watch.hasCome && page.url() !== 'about:blank') return { kind: 'held' };
    if (!watch.hasErrorPage) await waitForErrorPage(page, signal);
    throw refusedNavigation(message, client.takeRefusals()) ?? error;
  } finally {
    over.abort();
  }
}

/** What Chromium shows of a failure comes after that is told, and would break off whatever is opened next. */
async function waitForErrorPage(page: Page, signal: AbortSignal): Promise<void> {
  try {
    await page.waitForEvent('framenavigated', { predicate: isErrorPage, timeout: errorPageMs, signal });
  } catch {
    // It is not shown of every failure.
    signal.throwIfAborted();
  }
}

function refusedNavigation(message: string, refusals: readonly RefusedRequest[]): BrowserError | undefined {
  const isRefusal = /ERR_(?:TUNNEL_CONNECTION_FAILED|BLOCKED_BY_CLIENT|EMPTY_RESPONSE)/.test(message);
  const last = refusals.at(-1);
  return isRefusal && last !== undefined ? failedDocument(last) : undefined;
}

function failedDocument({ kind, message }: RefusedRequest): BrowserError {
  return new BrowserError(kind, message);
}

function downloadRefused(): BrowserError {
  return new BrowserError('not_available', 'The address is a download, which this browser does not take.');
}
