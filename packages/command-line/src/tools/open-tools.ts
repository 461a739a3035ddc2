import { createDisposalStack, type Secret } from '@talaria/core';
import type { ToolSections } from '@talaria/environments';
import { createBuiltinRegistry, type ToolRegistry } from '@talaria/tools';
import type { Host } from '../host.ts';
import { collectToolSecrets } from './collect-tool-secrets.ts';
import { loadToolPackages } from './load-tool-packages.ts';
import { openBrowserTools } from './open-browser-tools.ts';
import { openMcpServers } from './open-mcp-servers.ts';
import { openModelTools } from './open-model-tools.ts';
import { openStoreTools } from './open-store-tools.ts';
import { openWebAccess } from './open-web-access.ts';
import type { ToolSourceOptions } from './tool-source.ts';

/** Every tool that the configuration leads to, open. Dispose of it when nothing uses them any more. */
export interface OpenedTools extends AsyncDisposable {
  readonly registry: ToolRegistry;
  /** Toolsets that somebody configured, so that a tool of theirs which cannot be offered is a failure. */
  readonly configuredToolsets: ReadonlySet<string>;
  /** Those of the configuration, and the keys of what tools ask: no result and no record may hold them. */
  readonly secrets: readonly Secret[];
}

/**
 * Opens the tools of the sections `tools`, `web` and `browser`: the built-in ones, those that need a provider, a browser or
 * a model, those of MCP servers, and those of packages, which win over others of the same name.
 * @throws ConfigError for what is configured and cannot be had
 */
export async function openTools(host: Host, config: ToolSections, options: ToolSourceOptions): Promise<OpenedTools> {
  const stack = createDisposalStack({ logger: options.logger });
  try {
    const secrets = [...options.secrets, ...(await collectToolSecrets(host, config))];
    const web = stack.use(await openWebAccess(host, config, { ...options, secrets }));
    const sources = [
      web.source,
      stack.use(await openBrowserTools(host, config, { ...options, policy: web.policy })),
      await openModelTools(host, config, web.fetchBytes),
      await openStoreTools(),
      stack.use(await openMcpServers(host, config.tools.mcp_servers, options)),
    ];
    const own = await loadToolPackages(host, config.tools.packages, options.logger);
    return {
      registry: createBuiltinRegistry([...sources.flatMap(({ tools }) => tools), ...own]),
      configuredToolsets: new Set([
        ...sources.flatMap((source) => source.configuredToolsets),
        ...own.map(({ toolset }) => toolset),
      ]),
      secrets,
      async [Symbol.asyncDispose]() {
        await stack[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}
