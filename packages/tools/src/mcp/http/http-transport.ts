import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { type Logger, settleWithin } from '@talaria/core';
import type { UrlPolicy } from '../../web/url-policy/index.ts';
import type { McpClientPackage } from '../load-mcp-client.ts';
import { closedReason, type McpLink } from '../mcp-link.ts';
import { type ParsedMcpHttp, revealText } from '../mcp-server-options.ts';
import { openHttpAgent } from './http-agent.ts';

/** What {@link openHttpTransport} needs. */
export interface HttpTransportOptions {
  readonly server: ParsedMcpHttp;
  readonly policy: UrlPolicy | undefined;
  readonly maxMessageBytes: number;
  readonly sdk: McpClientPackage;
  readonly logger: Logger;
}

/** How long the server may take to hear that its session is over. */
const farewellMs = 2_000;

/**
 * Opens a way to a server by Streamable HTTP. Beyond the official transport it ends the request of a call that was
 * cancelled, and fails a call whose answer broke off, which would else be waited for.
 *
 * @throws UrlRefusedError where the policy refuses the address
 */
export async function openHttpTransport(options: HttpTransportOptions): Promise<McpLink> {
  const { server, policy, maxMessageBytes, sdk, logger } = options;
  policy?.checkUrl(server.url);
  const agent = await openHttpAgent({ policy, maxMessageBytes });
  const headers = Object.entries(server.headers).map(([name, value]): [string, string] => [name, revealText(value)]);
  const inner = new sdk.StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers },
    fetch: agent.fetch,
  });
  const requests = new Map<string | number, AbortController>();
  let isForgotten = false;
  let closing: Promise<void> | undefined;

  const transport: Transport = {
    start: () => inner.start(),
    async send(message) {
      const id = requestId(message);
      if (id === undefined) {
        await inner.send(message);
        requests.get(cancelledId(message) ?? '')?.abort();
        return;
      }
      const stop = new AbortController();
      requests.set(id, stop);
      try {
        await inner.send(message, {
          requestSignal: stop.signal,
          onRequestStreamEnd: () => {
            // Without an answer until now there will be none.
            if (requests.delete(id)) transport.onmessage?.(brokenOff(id));
          },
        });
      } catch (error) {
        requests.delete(id);
        if (inner.sessionId !== undefined && statusOf(error) === 404) isForgotten = true;
        throw error;
      }
    },
    close: () => {
      closing ??= close();
      return closing;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion(version),
  };
  inner.onmessage = (message) => {
    if ('id' in message && message.id !== undefined && !('method' in message)) requests.delete(message.id);
    transport.onmessage?.(message);
  };
  inner.onerror = (error) => transport.onerror?.(error);
  inner.onclose = () => transport.onclose?.();

  async function close(): Promise<void> {
    if (!isForgotten && inner.sessionId !== undefined) {
      await settleWithin(() => inner.terminateSession().catch(() => undefined), farewellMs, logger);
    }
    await inner.close();
    await agent[Symbol.asyncDispose]();
  }

  return {
    transport,
    endReason: () => (isForgotten ? 'it has forgotten the session' : closing === undefined ? null : closedReason),
    stderrTail: () => '',
    isForgotten: (error) => isForgotten && statusOf(error) === 404,
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

function requestId(message: JSONRPCMessage): string | number | undefined {
  return 'method' in message && 'id' in message ? message.id : undefined;
}

function cancelledId(message: JSONRPCMessage): string | number | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

function brokenOff(id: string | number): JSONRPCMessage {
  const message = 'The answer broke off before it was complete';
  return { jsonrpc: '2.0', id, error: { code: -32_000, message, data: { talaria: 'broken-off' } } };
}

/** The HTTP status that an error of the client tells of. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  return typeof error.status === 'number' ? error.status : undefined;
}
