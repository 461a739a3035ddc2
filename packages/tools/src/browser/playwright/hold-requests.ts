import type { Browser } from 'playwright-core';
import type { UrlPolicy } from '../../web/url-policy/index.ts';
import { refusalBeyondHost } from './refusal-beyond-host.ts';

/**
 * Holds every encrypted request of a browser until its whole address was checked; redirects, too, which routes of a context
 * do not see. One that is refused is not sent; whoever watches its session tells why. Only for a browser that nobody else
 * uses.
 */
export async function holdRequests(browser: Browser, policy: UrlPolicy): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const decision =
      refusalBeyondHost(request.url, policy) === undefined
        ? session.send('Fetch.continueRequest', { requestId })
        : session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    // Its page went away meanwhile, or the browser.
    decision.catch(() => undefined);
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: 'https://*' }] });
}
