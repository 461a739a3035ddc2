import type { BrowserContext } from 'playwright-core';
import type { UrlPolicy } from '../../web/url-policy/index.ts';
import type { ProxyClient } from '../proxy/proxy-client.ts';

/**
 * Checks the whole address of each request, of which the proxy sees only the host where it is encrypted, and takes away what
 * sends datagrams past a proxy.
 */
export async function guardRequests(context: BrowserContext, policy: UrlPolicy, client: ProxyClient): Promise<void> {
  await context.addInitScript(`for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) {
    try { delete globalThis[name]; } catch {}
  }`);
  await context.route('**/*', async (route) => {
    const url = route.request().url();
    try {
      if (/^https?:/i.test(url)) policy.checkUrl(url);
    } catch (error) {
      client.refuse(url, error);
      await ignoreGone(route.abort('blockedbyclient'));
      return;
    }
    await ignoreGone(route.continue());
  });
}

/** A request whose page went away meanwhile needs no decision. */
async function ignoreGone(decision: Promise<void>): Promise<void> {
  await decision.catch(() => undefined);
}
