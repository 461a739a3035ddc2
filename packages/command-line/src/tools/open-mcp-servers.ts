import { resolve } from 'node:path';
import { ConfigError, createDisposalStack } from '@talaria/core';
import type { McpServerConfig } from '@talaria/environments';
import type { McpServer, McpTransport } from '@talaria/tools/mcp';
import type { Host } from '../host.ts';
import { expandHome } from '../state-folder.ts';
import { nameOf } from './find-tools.ts';
import type { ToolSource, ToolSourceOptions } from './tool-source.ts';

/**
 * Opens the MCP servers of the configuration, all at once; also those that no model is offered, since what scores may
 * call their tools. No policy holds for their addresses, which the user wrote.
 * @throws ConfigError for one that names neither a program nor an address, or both; what opening it throws
 */
export async function openMcpServers(
  host: Host,
  servers: Readonly<Record<string, McpServerConfig>>,
  { logger, signal, acceptFault }: ToolSourceOptions,
): Promise<ToolSource & AsyncDisposable> {
  const entries = Object.entries(servers);
  const stack = createDisposalStack({ logger });
  const close = async (): Promise<void> => {
    await stack[Symbol.asyncDispose]();
  };
  if (entries.length === 0) return { tools: [], configuredTools: [], [Symbol.asyncDispose]: close };
  const { openMcpServer } = await import('@talaria/tools/mcp');
  const opening = entries.map(async ([name, server]): Promise<McpServer> => {
    const { include, exclude, timeout_sec: timeoutSec } = server;
    const opened = await openMcpServer(
      {
        name,
        transport: transportOf(host, name, server),
        ...(include.length === 0 ? {} : { include }),
        exclude,
        timeoutMs: timeoutSec * 1_000,
      },
      { logger, signal, clock: host.clock, variables: host.variables },
    );
    return stack.use(opened);
  });
  const settled = await Promise.allSettled(opening);
  for (const [index, result] of settled.entries()) {
    if (result.status === 'fulfilled') continue;
    const [name = ''] = entries[index] ?? [];
    const isFault = signal?.aborted !== true;
    if (isFault && acceptFault?.({ kind: 'server', name, error: result.reason }) === true) continue;
    await close();
    throw result.reason;
  }
  const opened = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const tools = opened.flatMap((server) => server.tools);
  return {
    tools,
    configuredTools: tools.map(nameOf),
    [Symbol.asyncDispose]: close,
  };
}

function transportOf(host: Host, name: string, server: McpServerConfig): McpTransport {
  const { command, args, env, cwd, url, headers } = server;
  if (command !== null && url === null) {
    return { kind: 'stdio', command, args, env, cwd: resolve(host.cwd, expandHome(cwd ?? '.', host.homeFolder)) };
  }
  if (url !== null && command === null) return { kind: 'http', url, headers };
  throw new ConfigError(`tools.mcp_servers.${name} needs either a command or a url`, {
    code: 'config.invalid',
    hint: 'Give command and args for a program, or url for a server that runs already.',
  });
}
