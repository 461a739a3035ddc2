import { resolve } from 'node:path';
import { ConfigError, createDisposalStack, type DisposalStack } from '@talaria/core';
import type { ToolSections, WebConfig } from '@talaria/environments';
import type { FetchBytes } from '@talaria/tools/models';
import type { UrlPolicy, WebBackend, WebProvider, WebProviderTools } from '@talaria/tools/web';
import type { Host } from '../host.ts';
import { expandHome } from '../state-folder.ts';
import { corpusFailure } from './corpus-failure.ts';
import { nameOf } from './find-tools.ts';
import { openToolModel } from './open-tool-model.ts';
import type { ToolSource, ToolSourceOptions } from './tool-source.ts';

/** The web as the configuration opens it. */
export interface WebAccess extends AsyncDisposable {
  /** `web_search` and `web_extract`. */
  readonly source: ToolSource;
  /** Which addresses tools may visit. */
  readonly policy: UrlPolicy;
  readonly fetchBytes: FetchBytes;
}

/** Opens the section `web`. @throws ConfigError for a provider that is named and not set up */
export async function openWebAccess(
  host: Host,
  { web }: Pick<ToolSections, 'web'>,
  { logger, secrets }: ToolSourceOptions,
): Promise<WebAccess> {
  const library = await import('@talaria/tools/web');
  const stack = createDisposalStack({ logger });
  const getVariable = (name: string): string | undefined => host.variables[name];
  const policy = library.createUrlPolicy({
    allowPrivateHosts: web.allow_private_hosts,
    allowPrivateNetwork: web.allow_private_network,
    ...(web.allowed_domains.length === 0 ? {} : { allowedDomains: web.allowed_domains }),
    blockedDomains: web.blocked_domains,
    secrets,
  });
  const fetchPage = library.createPolicyFetch(policy, { clock: host.clock });
  try {
    const { replay: mode } = web;
    const provider = await openProvider(host, web, { getVariable, policy, clock: host.clock, logger }, stack);
    const replay =
      mode === 'off'
        ? undefined
        : stack.use(await library.openReplayStore({ mode, folder: pathOf(host, web.replay_dir), clock: host.clock }));
    const summarizer = web.summarizer === null ? undefined : await openToolModel(host, web.summarizer);
    const tools = library.createWebTools({ provider, policy, replay, summarizer, maxPageChars: web.max_page_chars });
    return {
      source: { tools, configuredTools: provider === undefined ? [] : tools.map(nameOf) },
      policy,
      fetchBytes: (url, { signal, maxBytes }) => fetchPage(url, { signal, maxBytes }),
      async [Symbol.asyncDispose]() {
        await stack[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}

/** One provider for both tools, or one for each. Only those that are used are opened; the stack closes them. */
async function openProvider(
  host: Host,
  web: WebConfig,
  tools: WebProviderTools,
  stack: DisposalStack,
): Promise<WebProvider | undefined> {
  const { combineProviders, createWebProvider } = await import('@talaria/tools/web');
  async function open(backend: WebBackend | null): Promise<WebProvider | undefined> {
    if (backend === 'fixture' && web.fixture === null && web.replay !== 'replay') throw missingFixture();
    const fixturePath = web.fixture === null ? null : pathOf(host, web.fixture);
    const provider = await createWebProvider(
      { backend, fixturePath, searxngUrl: web.searxng_url, isReplayed: web.replay === 'replay' },
      tools,
    ).catch((error: unknown) => {
      throw corpusFailure(error, fixturePath ?? '');
    });
    if (provider !== undefined) stack.defer(async () => provider[Symbol.asyncDispose]?.());
    return provider;
  }
  if (web.search_backend === null && web.extract_backend === null) return open(web.backend);
  const searcher = await open(web.search_backend ?? web.backend);
  const extractor = await open(web.extract_backend ?? web.backend);
  if (searcher !== undefined && extractor !== undefined) return combineProviders(searcher, extractor);
  return searcher ?? extractor ?? missingProvider();
}

function missingFixture(): ConfigError {
  return new ConfigError('The web backend is fixture, and web.fixture names no file', {
    code: 'config.missing-file',
    hint: 'Name in web.fixture a corpus of pages: a file of JSON, {"pages": [{"url": "…", "title": "…", "content": "…"}]}.',
  });
}

function missingProvider(): never {
  throw new ConfigError('web.search_backend and web.extract_backend lead to no provider', {
    code: 'config.missing-key',
    hint: 'Set web.backend, or the key of the provider that is named.',
  });
}

function pathOf(host: Host, path: string): string {
  return resolve(host.cwd, expandHome(path, host.homeFolder));
}
