import {
  type Clock,
  ConfigError,
  errorMessage,
  isTalariaError,
  type Logger,
  openDeadline,
  silentLogger,
  systemClock,
} from '@talaria/core';
import type { Tool } from '../tool.ts';
import { loadMcpClient } from './load-mcp-client.ts';
import type { McpServerInfo } from './mcp-connection.ts';
import { type McpServerOptions, type ParsedMcpServer, parseMcpServerOptions } from './mcp-server-options.ts';
import { type McpSession, openMcpSession } from './mcp-session.ts';
import { createMcpTool } from './tools/create-mcp-tool.ts';
import { type ListedTool, listMcpTools } from './tools/list-tools.ts';
import { createToolName } from './tools/tool-name.ts';

export type { McpServerInfo } from './mcp-connection.ts';

/** What {@link openMcpServer} takes from the program that calls it. */
export interface McpRuntime {
  /** Ends the opening. */
  readonly signal?: AbortSignal | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
  /** Variables of the host, of which a program gets those that it may inherit. @default none, so not even `PATH` */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
}

/** An open server. Disposing ends its calls, its connections and, where it is a program, all of its processes. */
export interface McpServer extends AsyncDisposable {
  /** The set that its tools belong to: the name that it was given. */
  readonly toolset: string;
  /** In the server's order. What changes later is not part of it. */
  readonly tools: readonly Tool[];
  readonly serverInfo: McpServerInfo;
  /** Whether the server has said since then that its list of tools is another one. */
  readonly haveToolsChanged: () => boolean;
}

/**
 * Opens a server of the Model Context Protocol and makes tools of its tools, for `createBuiltinRegistry`. Needs the package
 * `@modelcontextprotocol/client`.
 *
 * @throws ConfigError `config.invalid`, `config.missing-package`; `config.mcp-server` where it cannot be started or reached
 * or does not answer, with what it wrote to its standard error; UrlRefusedError; rejects with the signal's reason
 */
export async function openMcpServer(options: McpServerOptions, runtime: McpRuntime = {}): Promise<McpServer> {
  const server = parseMcpServerOptions(options);
  const { signal, logger = silentLogger, clock = systemClock, variables = {} } = runtime;
  signal?.throwIfAborted();
  const sdk = await loadMcpClient();
  let haveToolsChanged = false;
  function onToolsChanged(): void {
    haveToolsChanged = true;
    logger.warn('mcp.tools-changed', { server: server.name });
  }
  let session: McpSession | undefined;
  try {
    const connectionOptions = { server, sdk, variables, clock, logger, onToolsChanged, signal };
    session = await openMcpSession(connectionOptions);
    const listed = session.connection.hasTools
      ? await listMcpTools(session.connection, {
          server: server.name,
          logger,
          async withinLimit(action) {
            using deadline = openDeadline(clock, server.timeoutMs, signal);
            return await action(deadline.signal);
          },
        })
      : [];
    const tools = createTools(listed, { server, session, clock, logger });
    logger.info('mcp.opened', { server: server.name, tools: tools.length, ...session.connection.serverInfo });
    const { serverInfo } = session.connection;
    const close = session[Symbol.asyncDispose];
    return {
      toolset: server.name,
      tools,
      serverInfo,
      haveToolsChanged: () => haveToolsChanged,
      [Symbol.asyncDispose]: close,
    };
  } catch (cause) {
    await session?.[Symbol.asyncDispose]();
    signal?.throwIfAborted();
    throw isTalariaError(cause) ? cause : openError(server, cause);
  }
}

interface ToolSetup {
  readonly server: ParsedMcpServer;
  readonly session: McpSession;
  readonly clock: Clock;
  readonly logger: Logger;
}

function createTools(listed: readonly ListedTool[], { server, session, clock, logger }: ToolSetup): readonly Tool[] {
  const { prefix = `mcp_${server.name}_`, include, exclude } = server;
  const known = new Set(listed.map(({ name }) => name));
  for (const name of [...(include ?? []), ...exclude]) {
    if (!known.has(name)) logger.warn('mcp.unknown-tool', { server: server.name, tool: name });
  }
  const taken = new Set<string>();
  const seen = new Set<string>();
  return listed.flatMap((entry) => {
    if (exclude.includes(entry.name) || include?.includes(entry.name) === false) return [];
    const name = createToolName(prefix, entry.name, taken);
    try {
      if (seen.has(entry.name) || taken.has(name)) throw new TypeError('another tool has the same name');
      seen.add(entry.name);
      const tool = createMcpTool({ name, listed: entry, server, session, clock });
      taken.add(name);
      return [tool];
    } catch (error) {
      logger.warn('mcp.tool-left-out', { server: server.name, tool: entry.name, reason: errorMessage(error) });
      return [];
    }
  });
}

function openError({ name, transport }: ParsedMcpServer, cause: unknown): ConfigError {
  return new ConfigError(`The MCP server ${name} cannot be used: ${errorMessage(cause)}`, {
    code: 'config.mcp-server',
    hint:
      transport.kind === 'stdio'
        ? `Run ${transport.command} by hand, and check that it speaks MCP over its standard input and output.`
        : 'Check the address, and that it speaks Streamable HTTP and takes the headers.',
    cause,
  });
}
