import { createDisposalStack, type Secret } from '@talaria/core';
import { resolveToolsConfig, type ToolSections } from '@talaria/environments';
import { createBuiltinRegistry, type Tool, type ToolRegistry } from '@talaria/tools';
import type { UrlPolicy } from '@talaria/tools/web';
import type { Host } from '../host.ts';
import { leaveBrokenModelsOut } from './broken-models.ts';
import { collectToolSecrets } from './collect-tool-secrets.ts';
import { nameOf } from './find-tools.ts';
import { loadToolPackages } from './load-tool-packages.ts';
import { openBrowserTools } from './open-browser-tools.ts';
import { openMcpServers } from './open-mcp-servers.ts';
import { openModelTools } from './open-model-tools.ts';
import { openStoreTools } from './open-store-tools.ts';
import { openWebAccess, type WebAccess } from './open-web-access.ts';
import { type AcceptFault, describeFault, type ToolFault, withoutUse } from './tool-fault.ts';
import type { ToolSource, ToolSourceOptions } from './tool-source.ts';

/** Every tool that the configuration leads to, open. Dispose of it when nothing uses them any more. */
export interface OpenedTools extends AsyncDisposable {
  readonly registry: ToolRegistry;
  /** Names of tools that somebody configured, so that it is a failure where they cannot be offered. */
  readonly configuredTools: ReadonlySet<string>;
  /** Servers and packages that were left out, as `acceptFault` allowed: nobody knows which tools they have. */
  readonly faults: readonly ToolFault[];
  /** Those of the configuration, and the keys of what tools ask: no result and no record may hold them. */
  readonly secrets: readonly Secret[];
}

/**
 * Opens the tools of the sections `tools`, `web` and `browser`: the built-in ones, those that need a provider, a browser or
 * a model, those of MCP servers, and those of packages, which win over others of the same name.
 * @throws ConfigError for what is configured and cannot be had, unless `acceptFault` allows to go on without it
 */
export async function openTools(host: Host, wanted: ToolSections, given: ToolSourceOptions): Promise<OpenedTools> {
  const faults: ToolFault[] = [];
  const acceptFault: AcceptFault = (fault) => {
    const isAccepted = given.acceptFault?.(fault) ?? false;
    if (isAccepted) faults.push(fault);
    return isAccepted;
  };
  const stack = createDisposalStack({ logger: given.logger });
  try {
    const { config, errors } = leaveBrokenModelsOut(host, wanted, acceptFault);
    const secrets = [...given.secrets, ...(await collectToolSecrets(host, config))];
    const options = { ...given, secrets, acceptFault };
    const web = stack.use(await openWebOrNone(host, config, options));
    const browser = stack.use(await openBrowserOrNone(host, config, { ...options, policy: web.policy }));
    const servers = stack.use(await openMcpServers(host, config.tools.mcp_servers, options));
    const models = await openModelTools(host, config, web.fetchBytes);
    const builtin = [web.source, browser, models, await openStoreTools()].map((source) =>
      explainModels(source, errors),
    );
    const own = await loadToolPackages(host, config.tools.packages, options);
    const sources = [...builtin, servers, { tools: own, configuredTools: own.map(nameOf) }];
    return {
      registry: createBuiltinRegistry(sources.flatMap(({ tools }) => tools)),
      configuredTools: new Set(sources.flatMap(({ configuredTools }) => configuredTools)),
      faults: faults.filter(({ kind }) => kind !== 'tools'),
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

type OpenOptions = ToolSourceOptions & { readonly acceptFault: AcceptFault };

/** Where the web cannot be opened and that is accepted: its tools with the reason, and nothing behind them. */
async function openWebOrNone(host: Host, config: ToolSections, options: OpenOptions): Promise<WebAccess> {
  try {
    return await openWebAccess(host, config, options);
  } catch (error) {
    if (!options.acceptFault({ kind: 'tools', name: 'web', error })) throw error;
    const { web } = resolveToolsConfig({ variables: {} }).config;
    const access = await openWebAccess({ ...host, variables: {} }, { web }, options);
    return { ...access, source: withReason(access.source, error) };
  }
}

/** The same of the browser. */
async function openBrowserOrNone(
  host: Host,
  config: ToolSections,
  options: OpenOptions & { readonly policy: UrlPolicy },
): Promise<ToolSource & AsyncDisposable> {
  try {
    return await openBrowserTools(host, config, options);
  } catch (error) {
    if (!options.acceptFault({ kind: 'tools', name: 'browser', error })) throw error;
    const { browser } = resolveToolsConfig({ variables: {} }).config;
    const opened = await openBrowserTools(host, { ...config, browser }, options);
    return { ...opened, ...withReason(opened, error) };
  }
}

function withReason({ tools }: ToolSource, error: unknown): ToolSource {
  return { tools: withoutUse(tools, describeFault(error)), configuredTools: tools.map(nameOf) };
}

/** Tools whose model was left out say why; the browser needs that of `vision` for one of its own. */
function explainModels(source: ToolSource, errors: ReadonlyMap<string, unknown>): ToolSource {
  const broken = source.tools.filter((tool) => errors.has(modelToolset(tool)));
  const explained = broken.flatMap((tool) => withoutUse([tool], describeFault(errors.get(modelToolset(tool)))));
  const rest = source.tools.filter((tool) => !broken.includes(tool));
  return { tools: [...rest, ...explained], configuredTools: [...source.configuredTools, ...broken.map(nameOf)] };
}

function modelToolset(tool: Tool): string {
  return nameOf(tool) === 'browser_vision' ? 'vision' : tool.toolset;
}
