import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createToolRegistry } from '@talaria/tools';
import { createTestDispatcher } from '@talaria/tools/testing';
import { createUrlPolicy, createWebTools, type FixtureProvider, openFixtureProvider } from '../../src/web/index.ts';

const pages = [
  { url: 'https://birds.example/robin', title: 'Robin', content: 'The robin sings. It nests in gardens.' },
  { url: 'https://birds.example/wren', title: 'Wren', description: 'A small bird', content: 'Nesting in hedges.' },
  {
    url: 'https://birds.example/list',
    title: 'All birds',
    content: 'Robin, wren, and Müller’s barbet. No nest is told of.',
  },
  { url: 'https://b.example/same', title: 'Same', content: 'identical words' },
  { url: 'https://a.example/same', title: 'Same', content: 'identical words' },
  { url: 'https://de.wikipedia.example/wiki/Käse', title: 'Käse', content: 'Käse is eaten.' },
  { url: 'https://Example.com:443/a b', title: 'Spaces', content: 'unusual spelling' },
  { url: 'https://bücher.example', title: 'Bücher', content: 'reading matter' },
  { url: 'https://twice.example/a', title: 'Without', content: 'twofold' },
  { url: 'https://twice.example/a/', title: 'With', content: 'twofold' },
  { url: 'no address at all', title: 'None', content: 'nameless' },
];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-fixture-'));
  await writeFile(join(folder, 'corpus.json'), JSON.stringify({ pages }));
  await writeFile(join(folder, 'wrong.json'), '{"pages": [{"url": 1}]}');
  await writeFile(join(folder, 'broken.json'), '{"pages": [');
  await writeFile(join(folder, 'text.sqlite'), 'this is no database');
  const database = new DatabaseSync(join(folder, 'corpus.sqlite'));
  database.exec('CREATE TABLE pages (url TEXT PRIMARY KEY, title TEXT, description TEXT, content TEXT)');
  const insert = database.prepare('INSERT INTO pages VALUES (?, ?, ?, ?)');
  for (const { url, title, content, description } of pages) insert.run(url, title, description ?? null, content);
  database.close();
  await chmod(join(folder, 'corpus.sqlite'), 0o444);
  new DatabaseSync(join(folder, 'other.sqlite')).exec('CREATE TABLE something (x)');
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

const sources: Readonly<Record<string, () => Promise<FixtureProvider>>> = {
  'an object': () => openFixtureProvider({ pages }),
  'a JSON file': () => openFixtureProvider({ path: join(folder, 'corpus.json') }),
  'an SQLite file': () => openFixtureProvider({ path: join(folder, 'corpus.sqlite') }),
};

describe.each(Object.entries(sources))('a corpus of %s', (_source, open) => {
  async function urlsFor(query: string, limit = 5): Promise<readonly string[]> {
    await using provider = await open();
    return (await provider.search(query, { limit })).map(({ url }) => url.replace('https://', ''));
  }

  test('is searched by words, the best page first', async () => {
    expect(await urlsFor('robin')).toEqual(['birds.example/robin', 'birds.example/list']);
    expect(await urlsFor('Where do ROBINS nest?')).toEqual([
      'birds.example/robin',
      'birds.example/list',
      'birds.example/wren',
    ]);
    expect(await urlsFor('muller')).toEqual(['birds.example/list']);
    expect(await urlsFor('robin', 1)).toEqual(['birds.example/robin']);
  });

  test('gives equal pages in the order of their addresses', async () => {
    expect(await urlsFor('identical')).toEqual(['a.example/same', 'b.example/same']);
  });

  test.each(['unheard', '', '   ', '"', '* OR NEAR(', "'; DROP TABLE x; --", 'OR', '👻', '\0'])(
    'finds nothing for %j and does not fail',
    async (query) => {
      expect(await urlsFor(query)).toEqual([]);
    },
  );

  test('takes a query of any length', async () => {
    expect(await urlsFor(`robin ${'word '.repeat(100_000)}`)).toContain('birds.example/robin');
  });

  test('shows titles and descriptions', async () => {
    await using provider = await open();
    expect(await provider.search('wren', { limit: 1 })).toEqual([
      { title: 'Wren', url: 'https://birds.example/wren', description: 'A small bird' },
    ]);
    expect(await provider.search('sings', { limit: 1 })).toEqual([
      { title: 'Robin', url: 'https://birds.example/robin', description: 'The robin sings. It nests in gardens.' },
    ]);
  });

  test.each([
    'https://birds.example/robin',
    'https://birds.example/robin/',
    'https://birds.example/robin#songs',
    'HTTPS://Birds.Example/robin',
  ])('is read by address: %s', async (url) => {
    await using provider = await open();
    expect(await provider.extract(url)).toMatchObject({
      url: 'https://birds.example/robin',
      title: 'Robin',
      content: pages[0]?.content,
      status: 200,
    });
  });

  test.each([
    'https://de.wikipedia.example/wiki/Käse',
    'https://de.wikipedia.example/wiki/K%C3%A4se',
    'https://Example.com:443/a b',
    'https://example.com/a%20b',
    'https://bücher.example',
    'https://xn--bcher-kva.example/',
    'https://twice.example/a',
    'https://twice.example/a/',
    'no address at all',
  ])('is read by every spelling of an address, whatever the corpus has: %s', async (url) => {
    await using provider = await open();
    const { url: stored, title } = await provider.extract(url);
    expect(URL.parse(stored)?.href).toBe(URL.parse(url)?.href);
    expect((await provider.extract(stored)).title).toBe(title);
  });

  test('reads every page that a search finds', async () => {
    await using provider = await open();
    await using tools = createTestDispatcher({
      view: createToolRegistry({ tools: createWebTools({ provider, policy: createUrlPolicy() }) }).view(),
    });
    const { data } = await tools.callJson('web_search', { query: 'Käse unusual reading twofold', limit: 10 });
    const urls = (data as { web: { url: string }[] }).web.map(({ url }) => url);
    expect(urls).toHaveLength(5);
    const { results } = await tools.callJson('web_extract', { urls });
    expect(results).toMatchObject(urls.map((url) => ({ url, status: 200 })));
  });

  test('says that a page is not there', async () => {
    await using provider = await open();
    await expect(provider.extract('https://birds.example/gone')).rejects.toMatchObject({
      kind: 'not_found',
      status: 404,
    });
  });

  test('rejects with the reason of an aborted signal, and is closed twice without harm', async () => {
    const provider = await open();
    const reason = new Error('stop');
    const signal = AbortSignal.abort(reason);
    await expect(provider.search('robin', { limit: 1, signal })).rejects.toBe(reason);
    await expect(provider.extract('https://birds.example/robin', { signal })).rejects.toBe(reason);
    await provider[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });
});

test.each([
  ['missing.json', 'state.not-found'],
  ['wrong.json', 'state.damaged'],
  ['broken.json', 'state.damaged'],
  ['text.sqlite', 'state.damaged'],
  ['other.sqlite', 'state.damaged'],
  ['missing.sqlite', 'state.not-found'],
])('a corpus that cannot be used is told at once: %s', async (name, code) => {
  await expect(openFixtureProvider({ path: join(folder, name) })).rejects.toMatchObject({ code });
});
