export {
  createWebProvider,
  findWebSecrets,
  type WebBackend,
  type WebProviderConfig,
  type WebProviderTools,
  webBackends,
} from './create-web-provider.ts';
export type { FixtureCorpus, FixturePage, FixtureSource } from './fixture/fixture-corpus.ts';
export { type FixtureProvider, openFixtureProvider } from './fixture/fixture-provider.ts';
export {
  createPolicyFetch,
  type PolicyFetch,
  type PolicyFetchOptions,
  type PolicyFetchRequest,
  type PolicyResponse,
} from './http/policy-fetch.ts';
export type { HtmlConverterOptions } from './page/html-converter.ts';
export type { ApiProviderOptions } from './providers/api-provider-options.ts';
export { combineProviders } from './providers/combine-providers.ts';
export { createExaProvider } from './providers/exa-provider.ts';
export { createFetchProvider, type FetchProviderOptions } from './providers/fetch-provider.ts';
export { createFirecrawlProvider, type FirecrawlProviderOptions } from './providers/firecrawl-provider.ts';
export { createParallelProvider } from './providers/parallel-provider.ts';
export { createSearxngProvider, type SearxngProviderOptions } from './providers/searxng-provider.ts';
export { createTavilyProvider } from './providers/tavily-provider.ts';
export type {
  ExtractedPage,
  ExtractOptions,
  SearchHit,
  SearchOptions,
  WebProvider,
} from './providers/web-provider.ts';
export type { RecordedFailure, ReplayOutcome, ReplayRequest } from './replay/replay-entry.ts';
export { createReplayProvider } from './replay/replay-provider.ts';
export { openReplayStore, type ReplayMode, type ReplayStore, type ReplayStoreOptions } from './replay/replay-store.ts';
export { createWebTools, type WebToolsOptions } from './tools/create-web-tools.ts';
export {
  createUrlPolicy,
  isUrlRefusedError,
  portOf,
  type ResolvedAddress,
  type ResolveHost,
  type UrlPolicy,
  type UrlPolicyOptions,
  UrlRefusedError,
} from './url-policy/index.ts';
export { isWebError, WebError, type WebErrorKind, type WebErrorOptions } from './web-error.ts';
