import { expect, test } from '@jest/globals';

test('the entry point has exactly these values', async () => {
  expect(Object.keys(await import('@talaria/tools/web')).sort()).toEqual([
    'UrlRefusedError',
    'WebError',
    'combineProviders',
    'createExaProvider',
    'createFetchProvider',
    'createFirecrawlProvider',
    'createParallelProvider',
    'createPolicyFetch',
    'createReplayProvider',
    'createSearxngProvider',
    'createTavilyProvider',
    'createUrlPolicy',
    'createWebProvider',
    'createWebTools',
    'findWebSecrets',
    'isUrlRefusedError',
    'isWebError',
    'openFixtureProvider',
    'openReplayStore',
    'portOf',
    'webBackends',
  ]);
});
