import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isJsonObject, type JsonObject, Secret } from '@talaria/core';
import { createManualClock, createMemoryLogger } from '@talaria/core/testing';
import { createBuiltinRegistry } from '@talaria/tools';
import { createTestDispatcher, type TestDispatcher, type TestDispatcherOptions } from '@talaria/tools/testing';
import type { ToolModel } from '../../src/models/ports.ts';
import {
  createFetchProvider,
  createUrlPolicy,
  createWebTools,
  type ExtractOptions,
  openFixtureProvider,
  openReplayStore,
  UrlRefusedError,
  WebError,
  type WebProvider,
  type WebToolsOptions,
} from '../../src/web/index.ts';
import { openTestServer } from './open-test-server.ts';

const policy = createUrlPolicy();

function openTools(options: Partial<WebToolsOptions>, more: TestDispatcherOptions = {}): TestDispatcher {
  const tools = createWebTools({ policy, ...options });
  return createTestDispatcher({ view: createBuiltinRegistry(tools).view({ enabled: ['web'] }), ...more });
}

/** A provider of one method each. */
function provide(methods: Omit<WebProvider, 'name'>): WebProvider {
  return { name: 'test', search: async () => [], extract: async (url) => pageOf(url, ''), ...methods };
}

function pageOf(url: string, content: string) {
  return { url, title: 'A title', content, status: 200, contentType: 'text/html', isIncomplete: false };
}

async function results(tools: TestDispatcher, args: JsonObject): Promise<readonly JsonObject[]> {
  const { results } = await tools.callJson('web_extract', args);
  if (!Array.isArray(results)) throw new TypeError('no results');
  return results.filter(isJsonObject);
}

describe('web_search', () => {
  test('gives the results of the provider in upstream’s shape', async () => {
    await using provider = await openFixtureProvider({
      pages: [
        { url: 'https://a.example/', title: 'A', description: 'first', content: 'robin' },
        { url: 'https://b.example/', title: 'B', description: 'second', content: 'robin robin robin robin' },
      ],
    });
    await using tools = openTools({ provider });
    const { content, isError } = await tools.call('web_search', { query: ' robin ' });
    expect(isError).toBe(false);
    expect(content).toBe(
      '{"success":true,"data":{"web":[' +
        '{"url":"https://b.example/","title":"B","description":"second","position":1},' +
        '{"url":"https://a.example/","title":"A","description":"first","position":2}]}}',
    );
    expect(await tools.callJson('web_search', { query: 'robin', limit: 1 })).toMatchObject({
      data: { web: [{ url: 'https://b.example/' }] },
    });
    expect(await tools.callJson('web_search', { query: 'wren' })).toEqual({ success: true, data: { web: [] } });
  });

  test('asks for five results where the model does not say how many', async () => {
    const limits: number[] = [];
    const hits = Array.from({ length: 12 }, (_, index) => ({
      title: '',
      url: `https://a.example/${index}`,
      description: '',
    }));
    await using tools = openTools({
      provider: provide({
        async search(_query, { limit }) {
          limits.push(limit);
          return hits;
        },
      }),
    });
    const { data } = await tools.callJson('web_search', { query: 'a' });
    expect(isJsonObject(data) && Array.isArray(data['web']) && data['web'].length).toBe(5);
    expect(limits).toEqual([5]);
  });

  test('looks at no more than 50 results, however many a provider gives', async () => {
    const hits = Array.from({ length: 200_000 }, (_, index) => ({
      title: '',
      url: index < 48 ? 'http://127.0.0.1/' : `https://a.example/${index}`,
      description: '',
    }));
    await using tools = openTools({ provider: provide({ search: async () => hits }) });
    expect(await tools.callJson('web_search', { query: 'robin' })).toMatchObject({
      data: { web: [{ url: 'https://a.example/48' }, { url: 'https://a.example/49' }] },
    });
  });

  test('shows the beginnings of long titles', async () => {
    const hit = { title: ` ${'L'.repeat(400_000)}`, url: 'https://a.example/', description: '' };
    await using tools = openTools({ provider: provide({ search: async () => [hit] }) });
    expect(await tools.callJson('web_search', { query: 'robin' })).toMatchObject({
      data: { web: [{ title: `${'L'.repeat(500)}…`, url: hit.url }] },
    });
  });

  test('leaves out what the policy closes, and cuts long descriptions', async () => {
    await using tools = openTools({
      policy: createUrlPolicy({ blockedDomains: ['bad.example'] }),
      provider: provide({
        search: async () =>
          ['https://www.bad.example/', 'http://127.0.0.1/', 'nonsense', 'https://good.example/'].map((url) => ({
            title: '',
            url,
            description: 'x'.repeat(5_000),
          })),
      }),
    });
    const { data } = await tools.callJson('web_search', { query: 'a' });
    expect(data).toEqual({
      web: [{ url: 'https://good.example/', title: '', description: `${'x'.repeat(1_000)}…`, position: 1 }],
    });
  });

  test.each([
    ['a call without a query', {}, 'invalid_args'],
    ['an empty query', { query: '' }, 'invalid_args'],
    ['a blank query', { query: ' \n ' }, 'invalid_args'],
    ['a number for a query', { query: 7 }, 'invalid_args'],
    ['a limit of 0', { query: 'a', limit: 0 }, 'invalid_args'],
    ['a limit of 11', { query: 'a', limit: 11 }, 'invalid_args'],
    ['a limit in words', { query: 'a', limit: 'many' }, 'invalid_args'],
    ['a query of a million characters', { query: 'x'.repeat(1_000_000) }, 'invalid_args'],
    ['a query with a key', { query: 'the key is sk-secret-value' }, 'blocked'],
  ])('refuses %s', async (_what, args, kind) => {
    let isAsked = false;
    await using tools = openTools({
      policy: createUrlPolicy({ secrets: [new Secret('KEY', 'sk-secret-value')] }),
      provider: provide({
        async search() {
          isAsked = true;
          return [];
        },
      }),
    });
    const outcome = await tools.call('web_search', args);
    expect(outcome).toMatchObject({ isError: true, errorKind: kind });
    expect(outcome.content.length).toBeLessThan(1_000);
    expect(isAsked).toBe(false);
  });

  test.each([
    [
      'a refused key',
      new WebError('permission', 'The key was refused.', { status: 401 }),
      { error_kind: 'permission', status: 401 },
    ],
    ['no connection', new WebError('network', 'No connection.'), { error_kind: 'network', error: 'No connection.' }],
    ['no such host', new UrlRefusedError('network', 'No such host.'), { error_kind: 'network' }],
    [
      'anything else',
      new Error('a secret of the program'),
      { error_kind: 'internal', error: 'The web provider failed. Go on without it.' },
    ],
  ])('tells the model how the provider failed: %s', async (_what, error, expected) => {
    await using tools = openTools({ provider: provide({ search: () => Promise.reject(error) }) });
    const outcome = await tools.call('web_search', { query: 'a' });
    expect(outcome).toMatchObject({ isError: true, errorKind: expected.error_kind });
    expect(JSON.parse(outcome.content)).toMatchObject({ success: false, ...expected });
  });

  test('ends after 15 s', async () => {
    const clock = createManualClock();
    const started = Promise.withResolvers<void>();
    await using tools = openTools(
      {
        provider: provide({
          search: (_query, { signal }) =>
            new Promise((_, reject) => {
              signal?.addEventListener('abort', () => reject(signal.reason));
              started.resolve();
            }),
        }),
      },
      { clock },
    );
    const result = tools.callJson('web_search', { query: 'a' });
    await started.promise;
    await clock.advance(15_000);
    expect(await result).toEqual({ success: false, error: 'Not done within 15 s.', error_kind: 'timeout' });
    expect(clock.pendingCount).toBe(0);
  });
});

describe('web_extract', () => {
  test('gives each page with its status and type, in the order of the addresses', async () => {
    await using tools = openTools({
      provider: provide({
        extract: async (url) =>
          pageOf(url === 'https://a.example/' ? 'https://a.example/moved' : url, `text of ${url}`),
      }),
    });
    expect(await results(tools, { urls: ['https://a.example', 'https://b.example/'] })).toEqual([
      {
        url: 'https://a.example',
        final_url: 'https://a.example/moved',
        title: 'A title',
        status: 200,
        content_type: 'text/html',
        content: 'text of https://a.example/',
      },
      {
        url: 'https://b.example/',
        title: 'A title',
        status: 200,
        content_type: 'text/html',
        content: 'text of https://b.example/',
      },
    ]);
  });

  test('cuts content at 20,000 characters and goes on at an offset, never inside a character', async () => {
    const text = `${'x'.repeat(19_999)}👻${'y'.repeat(25_000)}`;
    await using tools = openTools({ provider: provide({ extract: async (url) => pageOf(url, text) }) });
    const parts: string[] = [];
    let offset = 0;
    for (let step = 0; step < 10; step += 1) {
      const [page] = await results(tools, { urls: ['https://a.example/'], offset });
      parts.push(String(page?.['content']));
      expect(page?.['offset'] ?? 0).toBe(offset);
      if (page?.['truncated'] !== true) break;
      expect(page['total_chars']).toBe(text.length);
      offset = Number(page['next_offset']);
    }
    expect(parts.map(({ length }) => length)).toEqual([19_999, 20_000, 5_002]);
    expect(parts.join('')).toBe(text);
    expect(await results(tools, { urls: ['https://a.example/'], offset: text.length })).toMatchObject([
      { error_kind: 'invalid_args', total_chars: text.length },
    ]);
  });

  test('shows as much of a page as it is told to', async () => {
    await using tools = openTools({
      maxPageChars: 3,
      provider: provide({ extract: async (url) => pageOf(url, 'abcdef') }),
    });
    expect(await results(tools, { urls: ['https://a.example/'] })).toMatchObject([{ content: 'abc', next_offset: 3 }]);
  });

  test('gives pages whole to a dispatcher without a limit of output, and asks no model about them', async () => {
    const text = `${'x'.repeat(100_000)}👻 the end`;
    const summarizer: ToolModel = {
      name: 'small',
      ask: () => Promise.reject(new Error('A verifier reads the page itself')),
    };
    const logger = createMemoryLogger();
    await using tools = openTools(
      { summarizer, provider: provide({ extract: async (url) => pageOf(url, text) }) },
      { logger, settings: { maxOutputChars: Number.POSITIVE_INFINITY } },
    );
    expect(await results(tools, { urls: ['https://a.example/'] })).toEqual([
      { url: 'https://a.example/', title: 'A title', status: 200, content_type: 'text/html', content: text },
    ]);
    expect(logger.entries).toEqual([]);
  });

  test('shows the beginnings of what a server made long: titles, addresses, types', async () => {
    const long = 'L'.repeat(400_000);
    const longUrl = `https://a.example/${'p'.repeat(7_000)}`;
    await using tools = openTools({
      provider: provide({
        extract: async () => ({ ...pageOf(longUrl, 'text'), title: `\n ${long}`, contentType: `text/${long}` }),
      }),
    });
    const urls = ['https://a.example/', longUrl, `https://a.example/${long}`];
    const { content } = await tools.call('web_extract', { urls });
    expect(content.length).toBeLessThan(15_000);
    const pages = JSON.parse(content).results;
    expect(pages).toMatchObject([
      { title: `${'L'.repeat(500)}…`, content: 'text', content_type: expect.stringMatching(/^text\/L{95}…$/) },
      { title: `${'L'.repeat(500)}…`, content: 'text' },
      { error_kind: 'blocked' },
    ]);
    expect(pages[0].final_url).toHaveLength(2_001);
    expect(pages[1].url).toHaveLength(2_001);
  });

  test('takes inline pictures out', async () => {
    const data = `data:image/png;base64,${'A'.repeat(50_000)}`;
    const content = `one ![a robin](${data}) two <img src="${data}"> three [x](${data}) four`;
    await using tools = openTools({ provider: provide({ extract: async (url) => pageOf(url, content) }) });
    expect(await results(tools, { urls: ['https://a.example/'] })).toMatchObject([
      { content: 'one a robin two  three [x]([inline picture]) four' },
    ]);
  });

  test.each([
    '![',
    '![](data:image/',
    '<img src=data:image/ ',
    '<img ',
    'data:image/',
    '![a](data:image/png;base64,AA ',
  ])('reads pages that are full of %j in time proportional to their length', async (start) => {
    const content = start.repeat(Math.ceil(2_000_000 / start.length));
    await using tools = openTools({ provider: provide({ extract: async (url) => pageOf(url, content) }) });
    expect(await results(tools, { urls: ['https://a.example/'] })).toMatchObject([{ truncated: true }]);
  });

  test('tells errors of each address for itself', async () => {
    await using tools = openTools({
      provider: provide({
        async extract(url) {
          if (url.endsWith('/gone'))
            throw new WebError('not_found', 'Gone.', { status: 404, contentType: 'text/html' });
          if (url.endsWith('/moved')) return pageOf('http://169.254.169.254/', 'credentials');
          return pageOf(url, 'text');
        },
      }),
    });
    const urls = ['https://a.example/gone', 'https://a.example/here', 'http://127.0.0.1/', 'https://a.example/moved'];
    const outcome = await tools.call('web_extract', { urls });
    expect(outcome.isError).toBe(false);
    expect(JSON.parse(outcome.content)).toMatchObject({
      results: [
        {
          url: urls[0],
          title: '',
          content: '',
          error: 'Gone.',
          error_kind: 'not_found',
          status: 404,
          content_type: 'text/html',
        },
        { url: urls[1], content: 'text' },
        { url: urls[2], error_kind: 'blocked', blocked_by_policy: true },
        { url: urls[3], content: '', error_kind: 'blocked', blocked_by_policy: true },
      ],
    });
    expect(outcome.content).not.toContain('credentials');
  });

  test('is an error as a whole where no page could be read', async () => {
    await using tools = openTools({ provider: provide({}) });
    expect(await tools.call('web_extract', { urls: ['http://127.0.0.1/', 'ftp://a.example/'] })).toMatchObject({
      isError: true,
      errorKind: 'blocked',
    });
  });

  test.each([
    {},
    { urls: [] },
    { urls: 'https://a.example/' },
    { urls: [7] },
    { urls: ['https://a.example/'], offset: -1 },
    { urls: Array.from({ length: 6 }, (_, index) => `https://a.example/${index}`) },
  ])('refuses %j without asking the provider', async (args) => {
    let isAsked = false;
    await using tools = openTools({
      provider: provide({
        async extract(url) {
          isAsked = true;
          return pageOf(url, '');
        },
      }),
    });
    expect(await tools.call('web_extract', args)).toMatchObject({ isError: true, errorKind: 'invalid_args' });
    expect(isAsked).toBe(false);
  });

  test('reads five pages at the same time, and gives up each after 30 s', async () => {
    const clock = createManualClock();
    const started = Promise.withResolvers<void>();
    let waiting = 0;
    await using tools = openTools(
      {
        provider: provide({
          extract: (_url, { signal } = {}) =>
            new Promise((_, reject) => {
              signal?.addEventListener('abort', () => reject(signal.reason));
              waiting += 1;
              if (waiting === 5) started.resolve();
            }),
        }),
      },
      { clock },
    );
    const pages = results(tools, { urls: Array.from({ length: 5 }, (_, index) => `https://a.example/${index}`) });
    await started.promise;
    await clock.advance(30_000);
    expect((await pages).map((page) => page['error'])).toEqual(Array(5).fill('Not done within 30 s.'));
    expect(clock.pendingCount).toBe(0);
  });

  test('tells providers how long it waits, and who asks', async () => {
    const asked: ExtractOptions[] = [];
    const provider = provide({
      async extract(url, options = {}) {
        asked.push(options);
        return pageOf(url, '');
      },
    });
    await using one = openTools({ provider, extractTimeoutMs: 7_000 });
    await using other = openTools({ provider });
    await results(one, { urls: ['https://a.example/', 'https://b.example/'] });
    await results(other, { urls: ['https://a.example/'] });
    expect(asked.map(({ timeLimitMs }) => timeLimitMs)).toEqual([7_000, 7_000, 30_000]);
    expect(asked[0]?.caller).toBeDefined();
    expect(asked[1]?.caller).toBe(asked[0]?.caller);
    expect(asked[2]?.caller).not.toBe(asked[0]?.caller);
  });

  test('an abort ends it with its reason and leaves nothing open', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    await using server = await openTestServer((request) => {
      if (request.path === '/c') controller.abort(reason);
    });
    const open = createUrlPolicy({ allowPrivateHosts: ['127.0.0.1'] });
    await using tools = openTools({ policy: open, provider: createFetchProvider({ policy: open }) });
    const urls = ['a', 'b', 'c'].map((path) => `${server.origin}/${path}`);
    await expect(tools.call('web_extract', { urls }, controller.signal)).rejects.toBe(reason);
    await server.idle();
  });
});

describe('a summarizer', () => {
  function createModel(answer: (text: string) => string): ToolModel & { readonly questions: string[] } {
    const questions: string[] = [];
    return {
      name: 'small-model',
      questions,
      async ask({ messages }) {
        const text = String(messages.at(-1)?.content);
        questions.push(text);
        return { text: answer(text), usage: null };
      },
    };
  }

  async function extractWith(
    summarizer: ToolModel,
    content: string,
    args: JsonObject = {},
    more: TestDispatcherOptions = {},
  ) {
    await using tools = openTools(
      { summarizer, provider: provide({ extract: async (url) => pageOf(url, content) }) },
      more,
    );
    const [page] = await results(tools, { urls: ['https://a.example/'], ...args });
    return page;
  }

  test('shortens content of more than 5000 characters', async () => {
    const model = createModel(() => ' short ');
    expect(await extractWith(model, 'x'.repeat(5_001))).toMatchObject({
      content: 'short',
      summarized_by: 'small-model',
      total_chars: 5_001,
    });
    expect(await extractWith(model, 'x'.repeat(5_000))).toMatchObject({ content: 'x'.repeat(5_000) });
    expect(model.questions.length).toBe(1);
  });

  test('shortens very long content in parts, and cuts what is still too long', async () => {
    const model = createModel((text) => (text.includes('these summaries') ? 'z'.repeat(9_000) : 'part'));
    const page = await extractWith(model, 'x'.repeat(500_001));
    expect(page).toMatchObject({ content: `${'z'.repeat(4_999)}…` });
    expect(model.questions.length).toBe(7);
    expect(model.questions.at(-1)).toContain(Array(6).fill('part').join('\n\n'));
  });

  test('that fails, or whose page is too long, leaves the content cut as without it', async () => {
    const logger = createMemoryLogger();
    const failing = createModel(() => {
      throw new Error('no model');
    });
    expect(await extractWith(failing, 'x'.repeat(30_000), {}, { logger })).toMatchObject({
      truncated: true,
      next_offset: 20_000,
    });
    expect(logger.entries).toMatchObject([{ event: 'web.summary-failed' }]);
    const model = createModel(() => 'short');
    expect(await extractWith(model, 'x'.repeat(2_000_001))).toMatchObject({ truncated: true, total_chars: 2_000_001 });
    expect(model.questions).toEqual([]);
  });

  test('is not asked where the model reads on', async () => {
    const model = createModel(() => 'short');
    expect(await extractWith(model, 'x'.repeat(30_000), { offset: 20_000 })).toMatchObject({
      content: 'x'.repeat(10_000),
    });
    expect(model.questions).toEqual([]);
  });
});

describe('the tools', () => {
  function reasonsFor(options: Partial<WebToolsOptions>): readonly string[] {
    return createWebTools({ policy, ...options }).map((tool) => {
      const availability = tool.checkAvailability?.();
      return availability?.isAvailable === false ? availability.reason : 'offered';
    });
  }

  test('are hidden with a reason without a provider, without its methods, and without a network', () => {
    expect(reasonsFor({})).toEqual(Array(2).fill(expect.stringMatching(/^no web provider is set up/)));
    expect(reasonsFor({ provider: { name: 'x', search: async () => [] } })).toEqual([
      'offered',
      'the web provider x cannot read pages',
    ]);
    expect(reasonsFor({ provider: createFetchProvider({ policy }) })).toEqual([
      'the web provider fetch cannot search',
      'offered',
    ]);
    expect(reasonsFor({ provider: provide({}), isNetworkAllowed: false })).toEqual(
      Array(2).fill('the network is off for this rollout'),
    );
  });

  test('are left out of a selection where they are hidden, and refused where they were asked for', () => {
    const registry = createBuiltinRegistry(createWebTools({ policy }));
    const view = registry.view();
    expect(view.names.has('web_search')).toBe(false);
    expect(() => registry.view({ enabled: ['web'] })).toThrow(/cannot be offered here/);
    const lenient = registry.view({ enabled: ['web', 'terminal'], allowMissingTools: true });
    expect(lenient.warnings.join()).toContain('no web provider is set up');
  });

  test('mention each other only where both are offered', () => {
    const registry = createBuiltinRegistry(createWebTools({ policy, provider: provide({}) }));
    const describe = (enabled: readonly string[]): string =>
      registry.view({ enabled }).definitions.find(({ function: { name } }) => name === 'web_search')?.function
        .description ?? '';
    expect(describe(['web'])).toContain('web_extract');
    expect(describe(['search'])).not.toContain('web_extract');
  });

  test('record and replay', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'talaria-web-'));
    try {
      const provider = provide({ extract: async (url) => pageOf(url, 'recorded') });
      {
        await using replay = await openReplayStore({ mode: 'record', folder });
        await using tools = openTools({ provider, replay });
        await results(tools, { urls: ['https://a.example'] });
      }
      await using replay = await openReplayStore({ mode: 'replay', folder });
      await using tools = openTools({ provider: { name: 'test' }, replay });
      expect(await results(tools, { urls: ['https://a.example/'] })).toMatchObject([{ content: 'recorded' }]);
      expect(await results(tools, { urls: ['https://b.example/'] })).toMatchObject([{ error_kind: 'network' }]);
      expect(await tools.callJson('web_search', { query: 'a' })).toMatchObject({
        success: false,
        error_kind: 'network',
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('want positive limits', () => {
    expect(() => createWebTools({ policy, searchTimeoutMs: 0 })).toThrow('searchTimeoutMs is 0');
  });
});
