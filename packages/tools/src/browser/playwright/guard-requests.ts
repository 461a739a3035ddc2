import type { BrowserContext } from 'playwright-core';
import type { UrlPolicy } from '../../web/url-policy/index.ts';
import type { ProxyClient } from '../proxy/proxy-client.ts';
import { refusalBeyondHost } from './refusal-beyond-host.ts';

/**
 * Checks the whole address of each request before it is sent, of which the proxy sees only the host where it is encrypted, and
 * takes away what sends datagrams past a proxy. Redirects and the web sockets of workers do not pass here:
 * `holdRequests` and `watchAddresses` see them.
 */
export async function guardRequests(context: BrowserContext, policy: UrlPolicy, client: ProxyClient): Promise<void> {
  await context.addInitScript(`for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'WebSocketStream']) {
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
  await context.routeWebSocket(/^wss?:/i, async (socket) => {
    const refusal = refusalBeyondHost(socket.url(), policy);
    if (refusal === undefined) {
      socket.connectToServer();
      return;
    }
    client.refuse(socket.url(), refusal);
    await ignoreGone(socket.close());
  });
}

/** A request whose page went away meanwhile needs no decision. */
async function ignoreGone(decision: Promise<void>): Promise<void> {
  await decision.catch(() => undefined);
}
