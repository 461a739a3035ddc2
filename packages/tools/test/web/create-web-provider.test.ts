import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  combineProviders,
  createUrlPolicy,
  createWebProvider,
  findWebSecrets,
  type WebProviderConfig,
} from '../../src/web/index.ts';

const policy = createUrlPolicy();

async function nameFor(config: WebProviderConfig, variables: Readonly<Record<string, string>> = {}) {
  const provider = await createWebProvider(config, { getVariable: (name) => variables[name], policy });
  await provider?.[Symbol.asyncDispose]?.();
  return provider?.name;
}

test.each([
  [{}, undefined],
  [{ TAVILY_API_KEY: ' ' }, undefined],
  [{ TAVILY_API_KEY: 'k' }, 'tavily'],
  [{ EXA_API_KEY: 'k' }, 'exa'],
  [{ PARALLEL_API_KEY: 'k' }, 'parallel'],
  [{ FIRECRAWL_API_KEY: 'k' }, 'firecrawl'],
  [{ FIRECRAWL_API_URL: 'http://localhost:3002' }, 'firecrawl'],
  [{ SEARXNG_URL: 'http://localhost:8080' }, 'searxng+fetch'],
  [{ SEARXNG_URL: 'http://localhost:8080', EXA_API_KEY: 'k' }, 'exa'],
  [{ EXA_API_KEY: 'k', TAVILY_API_KEY: 'k' }, 'tavily'],
  [{ TAVILY_API_KEY: 'k', PARALLEL_API_KEY: 'k' }, 'parallel'],
  [{ PARALLEL_API_KEY: 'k', FIRECRAWL_API_KEY: 'k' }, 'firecrawl'],
])('the variables %j choose %s', async (variables, expected) => {
  expect(await nameFor({}, variables)).toBe(expected);
});

test('the configuration comes before the variables', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-web-'));
  const fixturePath = join(folder, 'corpus.json');
  await writeFile(fixturePath, '{"pages": []}');
  const variables = { FIRECRAWL_API_KEY: 'k', EXA_API_KEY: 'k' };
  expect(await nameFor({ backend: 'exa' }, variables)).toBe('exa');
  expect(await nameFor({ backend: null, fixturePath }, variables)).toBe('fixture');
  expect(await nameFor({ backend: 'fetch' })).toBe('fetch');
  expect(await nameFor({ backend: 'searxng', searxngUrl: 'http://localhost:1' })).toBe('searxng+fetch');
  await rm(folder, { recursive: true });
});

test('a replay needs no key', async () => {
  expect(await nameFor({ backend: 'tavily', isReplayed: true })).toBe('tavily');
  expect(await nameFor({ backend: 'searxng', isReplayed: true })).toBe('searxng+fetch');
});

test.each(['firecrawl', 'parallel', 'tavily', 'exa', 'searxng', 'fixture'] as const)(
  'a backend that is chosen and lacks what it needs is an error: %s',
  async (backend) => {
    await expect(nameFor({ backend })).rejects.toMatchObject({ code: 'config.missing-key' });
  },
);

test.each([
  [{ FIRECRAWL_API_URL: 'localhost:3002' }],
  [{ SEARXNG_URL: 'http://user:secret-word@search.example' }],
  [{ SEARXNG_URL: 'search.example' }],
])('an address of a service that cannot be used is an error at the start: %j', async (variables) => {
  await expect(nameFor({}, variables)).rejects.toMatchObject({ code: 'config.invalid' });
});

test('an unknown backend is an error that names the known ones', async () => {
  // What a configuration file may hold, whatever the types say.
  const config: WebProviderConfig = JSON.parse('{"backend": "bing"}');
  await expect(nameFor(config)).rejects.toMatchObject({
    code: 'config.invalid',
    hint: expect.stringContaining('tavily'),
  });
});

test('the keys that are set are found as secrets', () => {
  const secrets = findWebSecrets((name) => (name === 'EXA_API_KEY' ? 'exa-12345678' : undefined));
  expect(secrets.map((secret) => [secret.name, secret.reveal()])).toEqual([['EXA_API_KEY', 'exa-12345678']]);
});

test('two providers are one, which closes both even where the first does not close', async () => {
  const closed: string[] = [];
  const provider = combineProviders(
    {
      name: 'finder',
      search: async (query) => [{ title: query, url: 'https://a.example/', description: '' }],
      async [Symbol.asyncDispose]() {
        closed.push('finder');
        throw new Error('stuck');
      },
    },
    {
      name: 'reader',
      async [Symbol.asyncDispose]() {
        closed.push('reader');
      },
    },
  );
  expect(provider.name).toBe('finder+reader');
  expect(await provider.search?.('a', { limit: 1 })).toMatchObject([{ title: 'a' }]);
  expect(provider.extract).toBeUndefined();
  await provider[Symbol.asyncDispose]?.();
  expect(closed.sort()).toEqual(['finder', 'reader']);
});
