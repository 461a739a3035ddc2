import { type Clock, ConfigError, type Logger, Secret } from '@talaria/core';
import { openFixtureProvider } from './fixture/fixture-provider.ts';
import { combineProviders } from './providers/combine-providers.ts';
import { createExaProvider } from './providers/exa-provider.ts';
import { createFetchProvider } from './providers/fetch-provider.ts';
import { createFirecrawlProvider } from './providers/firecrawl-provider.ts';
import { createParallelProvider } from './providers/parallel-provider.ts';
import { createSearxngProvider } from './providers/searxng-provider.ts';
import { createTavilyProvider } from './providers/tavily-provider.ts';
import type { WebProvider } from './providers/web-provider.ts';
import type { UrlPolicy } from './url-policy/index.ts';
import { WebError } from './web-error.ts';

/** What can search or read pages. `searxng` reads pages by `fetch`; `fetch` cannot search. */
export const webBackends = ['firecrawl', 'parallel', 'tavily', 'exa', 'searxng', 'fixture', 'fetch'] as const;

/** One of {@link webBackends}. */
export type WebBackend = (typeof webBackends)[number];

/** Which provider is wanted. */
export interface WebProviderConfig {
  /** @default by what there is: the key of firecrawl, parallel, tavily or exa, in this order, else the address of searxng */
  readonly backend?: WebBackend | null | undefined;
  /** Absolute path of the corpus of `fixture`: JSON or SQLite. @default none */
  readonly fixturePath?: string | null | undefined;
  /** @default the variable `SEARXNG_URL` */
  readonly searxngUrl?: string | null | undefined;
  /** A server of one's own. @default the variable `FIRECRAWL_API_URL`, else the public service */
  readonly firecrawlUrl?: string | null | undefined;
  /** Answers will only be replayed: gives a provider that needs no key and asks nobody. @default false */
  readonly isReplayed?: boolean | undefined;
}

/** What {@link createWebProvider} works with. */
export interface WebProviderTools {
  /** Looks up an environment variable. */
  readonly getVariable: (name: string) => string | undefined;
  readonly policy: UrlPolicy;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
}

const keyNames = {
  firecrawl: 'FIRECRAWL_API_KEY',
  parallel: 'PARALLEL_API_KEY',
  tavily: 'TAVILY_API_KEY',
  exa: 'EXA_API_KEY',
} as const;

/** The keys of providers that are set: for the secrets of a policy and of a dispatcher. */
export function findWebSecrets(getVariable: WebProviderTools['getVariable']): readonly Secret[] {
  return Object.values(keyNames).flatMap((name) => secretOf(name, getVariable) ?? []);
}

/**
 * Creates the provider that is configured, or else the one whose key there is; `undefined` where there is none. Dispose of it
 * when done.
 *
 * @throws ConfigError `config.invalid` for an unknown name, an address of a service that is none or a key that cannot be sent,
 * `config.missing-key` where the named one lacks something; StateError for a corpus that cannot be used
 */
export async function createWebProvider(
  config: WebProviderConfig,
  tools: WebProviderTools,
): Promise<WebProvider | undefined> {
  const { getVariable, policy, clock, logger } = tools;
  const setup: WebSetup = {
    keyOf: (name) => secretOf(keyNames[name], getVariable),
    searxngUrl: config.searxngUrl || getVariable('SEARXNG_URL') || undefined,
    firecrawlUrl: config.firecrawlUrl || getVariable('FIRECRAWL_API_URL') || undefined,
    fixturePath: config.fixturePath || undefined,
  };
  const backend = config.backend ?? backendOf(setup);
  if (backend === undefined) return undefined;
  if (config.isReplayed === true) return createReplayedProvider(backend);
  const common = { policy, clock };
  switch (backend) {
    case 'firecrawl': {
      const { firecrawlUrl: baseUrl } = setup;
      const apiKey = baseUrl === undefined ? neededKey(setup, backend) : setup.keyOf(backend);
      return createFirecrawlProvider({ ...common, apiKey, baseUrl });
    }
    case 'parallel':
      return createParallelProvider({ ...common, apiKey: neededKey(setup, backend) });
    case 'tavily':
      return createTavilyProvider({ ...common, apiKey: neededKey(setup, backend) });
    case 'exa':
      return createExaProvider({ ...common, apiKey: neededKey(setup, backend) });
    case 'searxng': {
      const baseUrl = needed(setup.searxngUrl, backend, 'Set SEARXNG_URL to the address of an instance.');
      return combineProviders(createSearxngProvider({ baseUrl, clock }), createFetchProvider({ ...common, logger }));
    }
    case 'fixture':
      return openFixtureProvider({ path: needed(setup.fixturePath, backend, 'Give the path of a corpus.') });
    case 'fetch':
      return createFetchProvider({ ...common, logger });
    default:
      throw unknownBackend(backend);
  }
}

type KeyedBackend = keyof typeof keyNames;

interface WebSetup {
  readonly keyOf: (name: KeyedBackend) => Secret | undefined;
  readonly searxngUrl: string | undefined;
  readonly firecrawlUrl: string | undefined;
  readonly fixturePath: string | undefined;
}

/** Has the methods that the backend has, so that a replay offers what was offered when it was recorded. */
function createReplayedProvider(backend: WebBackend): WebProvider {
  const name = backend === 'searxng' ? 'searxng+fetch' : backend;
  async function refuse(): Promise<never> {
    throw new WebError('not_available', `${name} is not asked: its answers are only replayed.`);
  }
  return { name, ...(backend === 'fetch' ? {} : { search: refuse }), extract: refuse };
}

/** Upstream's order. */
function backendOf({ keyOf, searxngUrl, firecrawlUrl, fixturePath }: WebSetup): WebBackend | undefined {
  if (fixturePath !== undefined) return 'fixture';
  if (keyOf('firecrawl') !== undefined || firecrawlUrl !== undefined) return 'firecrawl';
  const keyed = (['parallel', 'tavily', 'exa'] as const).find((name) => keyOf(name) !== undefined);
  return keyed ?? (searxngUrl === undefined ? undefined : 'searxng');
}

function secretOf(name: string, getVariable: WebProviderTools['getVariable']): Secret | undefined {
  const value = getVariable(name)?.trim() ?? '';
  return value === '' ? undefined : new Secret(name, value);
}

function neededKey({ keyOf }: WebSetup, backend: KeyedBackend): Secret {
  return needed(keyOf(backend), backend, `Set ${keyNames[backend]}.`);
}

function needed<Value>(value: Value | undefined, backend: string, hint: string): Value {
  if (value !== undefined) return value;
  throw new ConfigError(`The web backend ${backend} is chosen, but not set up`, { code: 'config.missing-key', hint });
}

function unknownBackend(backend: never): ConfigError {
  return new ConfigError(`There is no web backend ${JSON.stringify(backend)}`, {
    code: 'config.invalid',
    hint: `Choose one of ${webBackends.join(', ')}.`,
  });
}
