import { errorMessage } from '@talaria/core';
import type { Frame, Page, Request, Response } from 'playwright-core';
import type { NavigationOutcome } from '../browser-driver.ts';
import { BrowserError } from '../browser-error.ts';
import type { PageNotes } from '../page-notes.ts';
import { describeRefusal, type ProxyClient, type RefusedRequest } from '../proxy/proxy-client.ts';
import { waitForResources } from './settle.ts';

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
  const response = outcome.kind === 'loaded' ? outcome.response : null;
  const loaded = withoutHash(response?.url() ?? url);
  const refusals = client.takeRefusals();
  // The proxy answers for an address of plain HTTP that it refuses; it, and no page, says so.
  const refused = refusals.find(({ target, kind }) => kind !== 'too_large' && target === loaded);
  if (refused !== undefined) throw failedDocument(refused);
  for (const refusal of refusals) notes.add(describeRefusal(refusal));
  await waitForResources(shown, resourcesMs, signal);
  return { status: response?.status() ?? null };
}

/** `left`: the page led elsewhere by itself. `held`: the page before went on by itself, and the new one never came. */
type LoadOutcome = { readonly kind: 'loaded'; readonly response: Response | null } | { readonly kind: 'left' | 'held' };

async function load(page: Page, url: string, { client, signal }: NavigationContext): Promise<LoadOutcome> {
  let hasCome = false;
  let hasErrorPage = false;
  const noteFrame = (frame: Frame): void => {
    if (isErrorPage(frame)) hasErrorPage = true;
  };
  const note = (response: Response): void => {
    let request: Request | null = response.request();
    while (request !== null && request.url() !== withoutHash(url)) request = request.redirectedFrom();
    if (request !== null) hasCome = true;
  };
  page.on('response', note).on('framenavigated', noteFrame);
  try {
    return { kind: 'loaded', response: await page.goto(url, { waitUntil: 'domcontentloaded', timeout: 0, signal }) };
  } catch (error) {
    signal.throwIfAborted();
    const message = errorMessage(error);
    if (/Download is starting/i.test(message)) throw downloadRefused();
    if (/interrupted by another navigation/i.test(message)) return { kind: hasCome ? 'left' : 'held' };
    if (/ERR_ABORTED/.test(message) && !hasCome && page.url() !== 'about:blank') return { kind: 'held' };
    if (!hasErrorPage) await waitForErrorPage(page, signal);
    throw refusedNavigation(message, client.takeRefusals()) ?? error;
  } finally {
    page.off('response', note).off('framenavigated', noteFrame);
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

function isErrorPage(frame: Frame): boolean {
  return frame.parentFrame() === null && frame.url().startsWith('chrome-error:');
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

function withoutHash(url: string | undefined): string | undefined {
  return url?.replace(/#.*$/s, '');
}
