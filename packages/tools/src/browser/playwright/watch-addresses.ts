import { errorMessage } from '@talaria/core';
import type { BrowserContext, Page, Request } from 'playwright-core';
import type { UrlPolicy } from '../../web/url-policy/index.ts';
import type { ProxyClient } from '../proxy/proxy-client.ts';
import type { PageEnd } from './page-stack.ts';
import { refusalBeyondHost } from './refusal-beyond-host.ts';

/** What {@link watchAddresses} takes. */
export interface AddressWatch {
  readonly context: BrowserContext;
  readonly policy: UrlPolicy;
  readonly client: ProxyClient;
  /** Whether `holdRequests` keeps redirects from being sent. */
  readonly areRequestsHeld: boolean;
  /** Closes a page. */
  readonly end: (page: Page, reason: PageEnd) => Promise<void>;
}

/**
 * Sees the addresses of redirects and of web sockets in workers, which no route of a context sees, and tells those that are
 * refused. Where nothing holds them they are on their way already: every connection of the session is cut off at once then,
 * and the page closed.
 */
export function watchAddresses({ context, policy, client, areRequestsHeld, end }: AddressWatch): void {
  function check(url: string, page: Page | undefined, isHeld: boolean): void {
    const refusal = refusalBeyondHost(url, policy);
    if (refusal === undefined) return;
    client.refuse(url, refusal);
    if (isHeld) return;
    client.cutConnections();
    const why = `The page went on to an address that may not be visited, and was closed: ${errorMessage(refusal)}`;
    if (page !== undefined) void end(page, { kind: 'blocked', why });
  }

  const watch = (page: Page): void => void page.on('websocket', (socket) => check(socket.url(), page, false));
  context.on('request', (request) => {
    if (request.redirectedFrom() !== null) check(request.url(), pageOf(request), areRequestsHeld);
  });
  context.on('page', watch);
  for (const page of context.pages()) watch(page);
}

/** The page of a request; none where its window is only being opened. */
function pageOf(request: Request): Page | undefined {
  try {
    return request.frame().page();
  } catch {
    return undefined;
  }
}
