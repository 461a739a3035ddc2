import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import {
  type Clock,
  errorMessage,
  type JsonObject,
  type Logger,
  openDeadline,
  settleWithin,
  truncateText,
} from '@talaria/core';
import { z } from 'zod';
import { findRefusal } from './find-refusal.ts';
import { openHttpTransport } from './http/http-transport.ts';
import type { McpClientPackage } from './load-mcp-client.ts';
import { closedReason, type McpLink } from './mcp-link.ts';
import type { ParsedMcpServer } from './mcp-server-options.ts';
import { createStdioTransport } from './stdio/stdio-transport.ts';

/** What a server says of itself. */
export interface McpServerInfo {
  readonly name: string;
  readonly version: string;
  /** How its tools are to be used, in its own words, at most 10,000 characters; `null` where it says nothing. */
  readonly instructions: string | null;
}

/** What {@link openMcpConnection} needs. */
export interface McpConnectionOptions {
  readonly server: ParsedMcpServer;
  readonly sdk: McpClientPackage;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told when the server says that its list of tools is another one now. */
  readonly onToolsChanged: () => void;
  readonly signal: AbortSignal | undefined;
}

/** One request to a server. */
export interface McpRequest<Schema extends z.ZodType> {
  readonly method: 'tools/list' | 'tools/call';
  readonly params: JsonObject;
  /** What the answer must be. */
  readonly answer: Schema;
  readonly signal: AbortSignal;
  readonly onProgress?: RequestOptions['onprogress'];
}

/** A connection whose handshake is done. */
export interface McpConnection extends AsyncDisposable {
  readonly serverInfo: McpServerInfo;
  readonly hasTools: boolean;
  /** See {@link McpLink.endReason}. */
  readonly endReason: () => string | null;
  readonly isForgotten: (error: unknown) => boolean;
  /** Rejects with the signal's reason, once the server was told, or with an error of the client. */
  request<Schema extends z.ZodType>(request: McpRequest<Schema>): Promise<z.output<Schema>>;
}

/** A handshake that did not come about, in words. */
export class McpHandshakeError extends Error {}

/** An answer that is not what the protocol says. */
export class McpAnswerError extends Error {}

/** Answers are checked by us, one part at a time: the client refuses a whole list for one wrong entry. */
const anything = z.unknown();
const maxInstructionsChars = 10_000;
/** How long disposal may take: a program has its time to end by itself, then by signals. */
const closeMs = 15_000;
/** The client must have a limit; this is the longest that a timer holds. Ours ends the request long before. */
const noTimeoutMs = 2_147_483_647;

/**
 * Connects and does the handshake within the server's `timeoutMs`. Nothing is left behind where that fails.
 *
 * @throws McpHandshakeError; UrlRefusedError; rejects with the signal's reason
 */
export async function openMcpConnection(options: McpConnectionOptions): Promise<McpConnection> {
  const { server, sdk, logger, clock, signal } = options;
  const link = await openTransport(options);
  const client = new sdk.Client(server.clientInfo, { capabilities: {} });
  client.onerror = (error) => {
    logger.debug('mcp.error', { server: server.name, message: truncateText(errorMessage(error), 500) });
  };
  listen(client, options);
  using deadline = openDeadline(clock, server.timeoutMs, signal);
  try {
    await client.connect(link.transport, { signal: deadline.signal, timeout: noTimeoutMs });
  } catch (cause) {
    // Before the transport is closed, which would be told as the reason.
    const reason = link.endReason();
    await closeLink(link, logger);
    signal?.throwIfAborted();
    const refusal = findRefusal(cause);
    if (refusal !== undefined) throw refusal;
    const what = deadline.isExpired()
      ? `it did not answer the handshake within ${server.timeoutMs / 1_000} s`
      : reason === null || reason === closedReason
        ? truncateText(describeCause(cause), 500)
        : reason;
    const tail = link.stderrTail();
    throw new McpHandshakeError(tail === '' ? what : `${what}; it wrote: ${tail}`, { cause });
  }
  return {
    serverInfo: describeServer(client, server.name),
    hasTools: client.getServerCapabilities()?.tools !== undefined,
    endReason: link.endReason,
    isForgotten: (error) => link.isForgotten?.(error) ?? false,
    async request({ method, params, answer, signal: requestSignal, onProgress }) {
      requestSignal.throwIfAborted();
      const progress = onProgress === undefined ? {} : { onprogress: onProgress };
      try {
        const requestOptions = { signal: requestSignal, timeout: noTimeoutMs, ...progress };
        const parsed = answer.safeParse(await client.request({ method, params }, anything, requestOptions));
        if (parsed.success) return parsed.data;
        throw new McpAnswerError(`It answered what is no result of ${method}`, { cause: parsed.error });
      } catch (error) {
        requestSignal.throwIfAborted();
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await closeLink(link, logger);
    },
  };
}

async function closeLink(link: McpLink, logger: Logger): Promise<void> {
  await settleWithin(async () => await link[Symbol.asyncDispose](), closeMs, logger);
}

async function openTransport(options: McpConnectionOptions): Promise<McpLink> {
  const { server, sdk, variables, clock, logger } = options;
  const { name, transport, maxMessageBytes, policy } = server;
  if (transport.kind === 'http') {
    return await openHttpTransport({ server: transport, policy, maxMessageBytes, sdk, logger });
  }
  return createStdioTransport({ server: name, program: transport, variables, maxMessageBytes, sdk, clock, logger });
}

function listen(client: Client, { server, logger, onToolsChanged }: McpConnectionOptions): void {
  client.setNotificationHandler('notifications/tools/list_changed', () => onToolsChanged());
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const text = typeof params.data === 'string' ? params.data : JSON.stringify(params.data);
    logger.debug('mcp.message', { server: server.name, level: params.level, text: truncateText(text ?? '', 1_000) });
  });
}

function describeServer(client: Client, fallbackName: string): McpServerInfo {
  const { name = fallbackName, version = '' } = client.getServerVersion() ?? {};
  const instructions = client.getInstructions();
  return {
    name: truncateText(name, 200),
    version: truncateText(version, 100),
    instructions: instructions === undefined ? null : truncateText(instructions, maxInstructionsChars),
  };
}

/** `fetch failed` alone helps nobody: the reason is underneath. */
function describeCause(error: unknown): string {
  const below = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  return below === undefined ? errorMessage(error) : `${errorMessage(error)}: ${errorMessage(below)}`;
}
