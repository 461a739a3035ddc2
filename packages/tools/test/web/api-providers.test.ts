import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { createManualClock, type ManualClock } from '@talaria/core/testing';
import {
  type ApiProviderOptions,
  createExaProvider,
  createFirecrawlProvider,
  createParallelProvider,
  createSearxngProvider,
  createTavilyProvider,
  createUrlPolicy,
  type SearchHit,
  type WebProvider,
} from '../../src/web/index.ts';
import { openTestServer, type Respond, type TestServer } from './open-test-server.ts';

let server: TestServer;
let respond: Respond;

beforeEach(async () => {
  server = await openTestServer((request, response) => respond(request, response));
});

afterEach(async () => {
  await server.idle();
  await server[Symbol.asyncDispose]();
});

const apiKey = new Secret('SOME_API_KEY', 'tvly-1234567890');
const policy = createUrlPolicy({ resolve: async () => [{ address: '93.184.215.14', family: 4 }] });

function answer(body: unknown, status = 200, headers = {}): Respond {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

function search(provider: WebProvider, signal?: AbortSignal): Promise<readonly SearchHit[]> {
  return provider.search?.('robin nests', { limit: 3, signal }) ?? Promise.reject(new TypeError('cannot search'));
}

async function extract(provider: WebProvider, url = 'https://example.com/a') {
  return (await provider.extract?.(url)) ?? Promise.reject(new TypeError('cannot extract'));
}

interface Service {
  readonly create: (options: ApiProviderOptions) => WebProvider;
  readonly key: { readonly [header: string]: string };
  readonly searchPath: string;
  readonly searchBody: unknown;
  readonly searchAnswer: unknown;
  readonly hits: readonly SearchHit[];
  readonly extractPath: string;
  readonly extractBody: unknown;
  readonly extractAnswer: unknown;
  readonly page: unknown;
  readonly failedAnswer: unknown;
  readonly failure: unknown;
  readonly refusals: readonly (readonly [number, unknown, RegExp])[];
}

/** Requests and answers as the services document them. */
const services: Readonly<Record<string, Service>> = {
  tavily: {
    create: createTavilyProvider,
    key: { authorization: 'Bearer tvly-1234567890' },
    searchPath: '/search',
    searchBody: { query: 'robin nests', max_results: 3, search_depth: 'basic' },
    searchAnswer: {
      query: 'robin nests',
      answer: null,
      images: [],
      results: [
        { title: 'Robins', url: 'https://example.com/r', content: 'About robins.', score: 0.9, raw_content: null },
        { title: null, url: 'https://example.com/s', content: 'More.', score: 0.5 },
      ],
      response_time: '1.67',
      request_id: '123e4567',
    },
    hits: [
      { title: 'Robins', url: 'https://example.com/r', description: 'About robins.' },
      { title: '', url: 'https://example.com/s', description: 'More.' },
    ],
    extractPath: '/extract',
    extractBody: { urls: ['https://example.com/a'], extract_depth: 'basic', format: 'markdown' },
    extractAnswer: {
      results: [{ url: 'https://example.com/a', raw_content: '# A', images: [], favicon: 'x' }],
      failed_results: [],
      response_time: 0.02,
    },
    page: { url: 'https://example.com/a', title: '', content: '# A', status: null },
    failedAnswer: { results: [], failed_results: [{ url: 'https://example.com/a', error: 'Failed to fetch url' }] },
    failure: { kind: 'network', message: 'tavily could not read the page: Failed to fetch url.' },
    refusals: [
      [401, { detail: { error: 'Unauthorized: missing or invalid API key.' } }, /missing or invalid API key/],
      [432, { detail: { error: "This request exceeds your plan's set usage limit." } }, /usage limit/],
    ],
  },
  firecrawl: {
    create: createFirecrawlProvider,
    key: { authorization: 'Bearer tvly-1234567890' },
    searchPath: '/v2/search',
    searchBody: { query: 'robin nests', limit: 3, sources: ['web'] },
    searchAnswer: {
      success: true,
      data: { web: [{ url: 'https://example.com/r', title: 'Robins', description: 'About robins.', position: 1 }] },
      creditsUsed: 2,
    },
    hits: [{ title: 'Robins', url: 'https://example.com/r', description: 'About robins.' }],
    extractPath: '/v2/scrape',
    extractBody: {
      url: 'https://example.com/a',
      formats: ['markdown'],
      onlyMainContent: true,
      removeBase64Images: true,
    },
    extractAnswer: {
      success: true,
      data: {
        markdown: '# A',
        metadata: {
          title: ['A', 'a'],
          language: 'en',
          sourceURL: 'https://example.com/a',
          url: 'https://example.com/b',
          statusCode: 200,
          contentType: 'text/html',
        },
      },
    },
    page: { url: 'https://example.com/b', title: 'A', content: '# A', status: 200, contentType: 'text/html' },
    failedAnswer: {
      success: true,
      data: {
        markdown: 'Not here',
        metadata: { statusCode: 404, error: 'Not Found', sourceURL: 'https://example.com/a' },
      },
    },
    failure: { kind: 'not_found', status: 404, message: 'firecrawl could not read the page: Not Found.' },
    refusals: [
      [402, { success: false, error: 'Insufficient credits' }, /Insufficient credits/],
      [403, { success: false, error: 'This website is no longer supported' }, /no longer supported/],
    ],
  },
  exa: {
    create: createExaProvider,
    key: { 'x-api-key': 'tvly-1234567890' },
    searchPath: '/search',
    searchBody: { query: 'robin nests', numResults: 3, type: 'auto', contents: { highlights: true } },
    searchAnswer: {
      requestId: 'b5947044c4b78efa9552a7c89b306d95',
      results: [
        {
          id: 'https://example.com/r',
          title: 'Robins',
          url: 'https://example.com/r',
          publishedDate: '2024-01-01T00:00:00.000Z',
          highlights: ['One.', 'Two.'],
          highlightScores: [0.5, 0.4],
        },
      ],
    },
    hits: [{ title: 'Robins', url: 'https://example.com/r', description: 'One. … Two.' }],
    extractPath: '/contents',
    extractBody: { urls: ['https://example.com/a'], text: true },
    extractAnswer: {
      requestId: 'e492118ccdedcba5088bfc4357a8a125',
      results: [{ id: 'https://example.com/a', url: 'https://example.com/a', title: 'A', text: '# A' }],
      statuses: [{ id: 'https://example.com/a', status: 'success' }],
    },
    page: { url: 'https://example.com/a', title: 'A', content: '# A' },
    failedAnswer: {
      results: [],
      statuses: [
        { id: 'https://example.com/a', status: 'error', error: { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 } },
      ],
    },
    failure: { kind: 'not_found', status: 404, message: 'exa could not read the page: CRAWL_NOT_FOUND.' },
    refusals: [
      [401, { requestId: 'x', error: 'Invalid API key', tag: 'INVALID_API_KEY' }, /Invalid API key/],
      [400, { requestId: 'x', error: 'Missing query', tag: 'INVALID_REQUEST_BODY' }, /Missing query/],
    ],
  },
  parallel: {
    create: createParallelProvider,
    key: { 'x-api-key': 'tvly-1234567890' },
    searchPath: '/v1/search',
    searchBody: {
      objective: 'robin nests',
      search_queries: ['robin nests'],
      mode: 'basic',
      advanced_settings: { max_results: 3 },
    },
    searchAnswer: {
      search_id: 'search_1',
      results: [
        { url: 'https://example.com/r', title: 'Robins', publish_date: '2024-01-15', excerpts: ['One.', 'Two.'] },
        { url: 'https://example.com/s', title: null, excerpts: null },
      ],
    },
    hits: [
      { title: 'Robins', url: 'https://example.com/r', description: 'One. … Two.' },
      { title: '', url: 'https://example.com/s', description: '' },
    ],
    extractPath: '/v1/extract',
    extractBody: { urls: ['https://example.com/a'], advanced_settings: { full_content: true } },
    extractAnswer: {
      extract_id: 'extract_1',
      results: [{ url: 'https://example.com/a', title: 'A', excerpts: ['…'], full_content: '# A' }],
      errors: [],
      session_id: 'session_1',
    },
    page: { url: 'https://example.com/a', title: 'A', content: '# A' },
    failedAnswer: {
      extract_id: 'extract_1',
      results: [],
      errors: [
        {
          url: 'https://example.com/a',
          error_type: 'fetch_error',
          http_status_code: 500,
          content: 'Error fetching content',
        },
      ],
      session_id: 'session_1',
    },
    failure: { kind: 'network', status: 500, message: 'parallel could not read the page: Error fetching content.' },
    refusals: [
      [422, { type: 'error', error: { ref_id: 'x', message: 'Request validation error' } }, /Request validation error/],
      [401, { type: 'error', error: { ref_id: 'x', message: 'Unauthorized' } }, /Unauthorized/],
    ],
  },
};

describe.each(Object.entries(services))('%s', (name, service) => {
  function open(clock?: ManualClock): WebProvider {
    return service.create({ apiKey, baseUrl: `${server.origin}/`, policy, clock });
  }

  test('searches', async () => {
    respond = answer(service.searchAnswer);
    expect(await search(open())).toEqual(service.hits);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', path: service.searchPath });
    expect(request?.headers).toMatchObject({ ...service.key, 'content-type': 'application/json' });
    expect(JSON.parse(request?.body ?? '')).toEqual(service.searchBody);
  });

  test('reads a page', async () => {
    respond = answer(service.extractAnswer);
    expect(await extract(open())).toMatchObject(service.page as object);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', path: service.extractPath });
    expect(request?.headers).toMatchObject(service.key);
    expect(JSON.parse(request?.body ?? '')).toEqual(service.extractBody);
  });

  test('tells of a page that could not be read', async () => {
    respond = answer(service.failedAnswer);
    await expect(extract(open())).rejects.toMatchObject(service.failure as object);
  });

  test.each(service.refusals)('tells what the service says with status %d', async (status, body, message) => {
    respond = answer(body, status);
    await expect(search(open())).rejects.toMatchObject({ status, message: expect.stringMatching(message) });
  });

  test('never shows its key, even where the service repeats it', async () => {
    respond = answer({ error: `The key ${apiKey.reveal()} is not valid` }, 401);
    const failure = await search(open()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'permission', hint: 'Check SOME_API_KEY.' });
    expect(String(failure)).toContain('[redacted:SOME_API_KEY]');
    expect(JSON.stringify(failure) + String(failure)).not.toContain(apiKey.reveal());
  });

  test('asks again once after 429, after the time that the service names', async () => {
    const clock = createManualClock();
    respond = (request, response) => {
      const respondNow =
        server.requests.length > 1 ? answer(service.searchAnswer) : answer('', 429, { 'retry-after': '2' });
      respondNow(request, response);
    };
    const hits = search(open(clock));
    await server.heard(service.searchPath);
    await server.idle();
    while (clock.pendingCount === 0) await clock.advance(0);
    await clock.advance(2_000);
    expect(await hits).toEqual(service.hits);
  });

  test.each([
    [
      'a status of 500',
      answer('<h1>Internal Server Error</h1>', 500),
      { kind: 'network', status: 500, retryable: true },
    ],
    ['429 for long', answer({}, 429, { 'retry-after': '60' }), { kind: 'network', status: 429, retryable: true }],
    ['broken JSON', answer('{"results": ['), { kind: 'network' }],
    ['JSON of another shape', answer({ results: 'none', data: 1 }), { kind: 'network' }],
    ['an array', answer([]), { kind: 'network' }],
    ['nothing', answer(''), { kind: 'network' }],
    ['a redirect', answer('', 302, { location: 'http://example.com/' }), { kind: 'network', status: 302 }],
    ['a broken connection', ((_request, response) => response.destroy()) satisfies Respond, { kind: 'network' }],
  ])('fails clearly with %s', async (_what, how, failure) => {
    respond = how;
    await expect(search(open())).rejects.toMatchObject(failure);
    await expect(extract(open())).rejects.toMatchObject(failure);
  });

  test('leaves a service that hangs when it is told to', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    respond = () => controller.abort(reason);
    await expect(search(open(), controller.signal)).rejects.toBe(reason);
  });

  test('leaves a service that hangs by itself after a minute', async () => {
    const clock = createManualClock();
    respond = () => undefined;
    const failure = expect(search(open(clock))).rejects.toMatchObject({ kind: 'timeout' });
    await server.heard(service.searchPath);
    await clock.advance(60_000);
    await failure;
  });

  test('asks for no page that the policy refuses', async () => {
    const closed = createUrlPolicy({ resolve: async () => [{ address: '10.0.0.1', family: 4 }] });
    const provider = service.create({ apiKey, baseUrl: server.origin, policy: closed });
    await expect(extract(provider, 'http://intranet.example/')).rejects.toMatchObject({ kind: 'blocked' });
    await expect(extract(provider, 'http://127.0.0.1/')).rejects.toMatchObject({ kind: 'blocked' });
    expect(server.requests).toEqual([]);
    expect(provider.name).toBe(name);
  });
});

test('firecrawl of one’s own needs no key', async () => {
  respond = answer({ success: true, data: {} });
  expect(await search(createFirecrawlProvider({ baseUrl: server.origin, policy }))).toEqual([]);
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});

describe('searxng', () => {
  test('searches, and gives no more than was asked for', async () => {
    const results = ['a', 'b', 'c', 'd'].map((name) => ({
      title: name,
      url: `https://example.com/${name}`,
      content: `About ${name}`,
      engine: 'x',
    }));
    respond = answer({ query: 'robin nests', number_of_results: 0, results, answers: [], infoboxes: [] });
    const hits = await search(createSearxngProvider({ baseUrl: `${server.origin}/searx/` }));
    expect(hits).toEqual(results.slice(0, 3).map(({ title, url, content }) => ({ title, url, description: content })));
    expect(server.requests).toMatchObject([{ method: 'GET', path: '/searx/search?q=robin+nests&format=json' }]);
  });

  test('says what to change where JSON is not allowed', async () => {
    respond = answer('<h1>Forbidden</h1>', 403);
    await expect(search(createSearxngProvider({ baseUrl: server.origin }))).rejects.toMatchObject({
      kind: 'permission',
      hint: expect.stringContaining('search.formats'),
    });
  });

  test('reads no pages', () => {
    expect(createSearxngProvider({ baseUrl: 'http://localhost:8080' }).extract).toBeUndefined();
  });
});

/** Each kind of provider, over an address. */
const overAddress: Readonly<Record<string, (baseUrl: string) => WebProvider>> = {
  ...Object.fromEntries(
    Object.entries(services).map(([name, { create }]) => [name, (baseUrl) => create({ apiKey, baseUrl, policy })]),
  ),
  searxng: (baseUrl) => createSearxngProvider({ baseUrl }),
};

describe.each(Object.entries(overAddress))('the address of %s', (name, create) => {
  test.each([
    ['localhost:3002', 'no address'],
    ['nonsense', 'no address'],
    ['', 'no address'],
    ['file:///etc/passwd', 'no address'],
    ['http://', 'no address'],
    ['http://user:hunter22@localhost:1', 'a user name or password'],
    ['http://user@localhost:1', 'a user name or password'],
    ['http://localhost:1/?format=hunter22', 'a query'],
    ['http://localhost:1/#hunter22', 'a fragment'],
  ])('is checked at once, and never shown where it is wrong: %s', (baseUrl, why) => {
    const refused = expect.objectContaining({ code: 'config.invalid', message: expect.stringContaining(why) });
    const failure = failureOf(() => create(baseUrl));
    expect(failure).toEqual(refused);
    expect(String(failure)).toContain(name);
    expect(String(failure)).not.toContain('hunter22');
  });

  test('may end in slashes and have a path', async () => {
    respond = answer({ results: [], data: {} });
    await search(create(`${server.origin}/a/b//`));
    expect(server.requests[0]?.path).toMatch(/^\/a\/b\/(?:v\d\/)?search/);
  });
});

test.each(Object.entries(services))('%s takes no key that no header can hold', (_name, { create }) => {
  const broken = new Secret('SOME_API_KEY', 'tvly-1\n234');
  const failure = failureOf(() => create({ apiKey: broken, policy }));
  expect(failure).toMatchObject({ code: 'config.invalid', message: expect.stringContaining('SOME_API_KEY') });
  expect(String(failure)).not.toContain('tvly-');
});

function failureOf(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
