import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createManualClock, createMemoryLogger } from '@talaria/core/testing';
import {
  createFetchProvider,
  createUrlPolicy,
  type ExtractedPage,
  type ExtractOptions,
  type FetchProviderOptions,
} from '../../src/web/index.ts';
import { openTestServer, type TestServer } from './open-test-server.ts';

interface Served {
  readonly status?: number;
  readonly type?: string;
  readonly body: string | Uint8Array;
}

let server: TestServer;
let served: Served;

beforeEach(async () => {
  server = await openTestServer((_request, response) => {
    const { status = 200, type, body } = served;
    response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);
  });
});

afterEach(async () => {
  await server.idle();
  await server[Symbol.asyncDispose]();
});

const policy = createUrlPolicy({ allowPrivateHosts: ['127.0.0.1'] });

async function extract(what: Served, options: Partial<FetchProviderOptions> = {}): Promise<ExtractedPage> {
  served = what;
  const page = await createFetchProvider({ policy, ...options }).extract?.(`${server.origin}/docs/page?x=1`, {});
  if (page === undefined) throw new TypeError('cannot extract');
  return page;
}

function html(body: string, options: Partial<FetchProviderOptions> = {}): Promise<ExtractedPage> {
  return extract({ type: 'text/html; charset=utf-8', body }, options);
}

const sentences = '<p>Birds sing, fly, and build nests, which takes them several days of work in spring.</p>'.repeat(
  12,
);

describe('HTML', () => {
  test('becomes Markdown of its main part, with absolute links', async () => {
    const page =
      await html(`<!doctype html><html><head><title> Birds &amp; nests </title><style>p {}</style></head><body>
      <nav><a href="/home">Home</a><a href="/shop">Shop</a></nav>
      <article><h1>Birds</h1>${sentences}<p>See <a href="../nests#top">nests</a> and <a href="javascript:alert(1)">this</a>.</p>
      <h2>Facts</h2><ul><li>eggs</li><li>feathers</li></ul>
      <table><thead><tr><th>Bird</th><th>Eggs</th></tr></thead><tbody><tr><td>Robin</td><td>5</td></tr></tbody></table>
      <pre><code>let wings = 2;\nfly();</code></pre><p><b>bold</b> and <del>gone</del></p>
      <img src="robin.png" alt="A robin"><img src="data:image/png;base64,AAAA" alt="inline"></article>
      <script>alert('never')</script><footer>Imprint</footer></body></html>`);
    expect(page).toMatchObject({
      url: `${server.origin}/docs/page?x=1`,
      title: 'Birds & nests',
      status: 200,
      contentType: 'text/html',
      isIncomplete: false,
    });
    expect(page.content).toContain('Birds sing, fly, and build nests');
    expect(page.content).toContain(`See [nests](${server.origin}/nests#top) and this.`);
    expect(page.content).toMatch(/^## Facts$/m);
    expect(page.content).toMatch(/^- {1,3}eggs$/m);
    expect(page.content).toMatch(/^\| Robin +\| 5 +\|$/m);
    expect(page.content).toContain('```\nlet wings = 2;\nfly();\n```');
    expect(page.content).toContain('**bold**');
    expect(page.content).toContain(`![A robin](${server.origin}/docs/robin.png)`);
    expect(page.content).not.toMatch(/Home|Imprint|never|data:image|javascript:|p \{\}/);
  });

  test('uses the base that it names', async () => {
    const page = await html('<base href="https://example.org/a/"><p>Go <a href="b">there</a></p>');
    expect(page.content).toBe('Go [there](https://example.org/a/b)');
  });

  test.each([
    ['without any structure', 'just words', 'just words'],
    ['with unclosed tags', '<p>one <b>two <i>three<p>four', /one.*two.*three[\s\S]*four/],
    ['with wrong nesting', '<b><p>one</b></p></i></div>two', /one[\s\S]*two/],
    ['cut inside a tag', '<p>one</p><a href="http://exam', /one/],
    ['with stray marks', '<p>1 < 2 && 3 > 2</p>', /1.*2/],
    ['with a form around everything', '<html><body><form><p>one</p></form></body></html>', /one/],
    ['without a body', '<html><p>one</p></html>', /one/],
    ['in upper case', '<HTML><BODY><P>ONE</P></BODY></HTML>', /ONE/],
    ['with nothing in it', '', /^$/],
  ])('%s is read as far as it goes', async (_what, body, expected) => {
    const { content } = await html(body);
    if (typeof expected === 'string') expect(content).toBe(expected);
    else expect(content).toMatch(expected);
  });

  test('that takes too long is given as plain text', async () => {
    const logger = createMemoryLogger();
    const deep = `${'<div>'.repeat(60_000)}the &lt;depth&gt;<script>never</script><br>of it`;
    const page = await html(deep, { logger, html: { timeoutMs: 1 } });
    expect(page.content).toBe('the <depth>\nof it');
    expect(logger.entries).toMatchObject([
      { event: 'web.page-not-converted', fields: { message: expect.stringMatching(/Not done within 1 ms/) } },
    ]);
  });

  test('that takes too much memory is given as plain text', async () => {
    const logger = createMemoryLogger();
    const page = await html('<i>a</i>'.repeat(100_000), { logger, html: { maxMemoryMiB: 8 } });
    expect(page.content.slice(0, 8)).toBe('a a a a ');
    expect(logger.entries).toMatchObject([{ event: 'web.page-not-converted' }]);
  });

  test('that is too long is cut, and the page said to be incomplete', async () => {
    const page = await html(`<p>${'word '.repeat(1_000)}</p>`, { html: { maxHtmlChars: 503 } });
    expect(page.content.length).toBe(499);
    expect(page.isIncomplete).toBe(true);
  });

  test('that would become much longer than it is, is cut', async () => {
    const body = `<base href="https://a.example/${'p'.repeat(2_000)}/"><body>${'<a href="x">l</a> '.repeat(100)}</body>`;
    const page = await html(body, { html: { maxHtmlChars: 10_000 } });
    expect(page.content.startsWith('[l](https://a.example/ppp')).toBe(true);
    expect([page.content.length, page.isIncomplete]).toEqual([10_000, true]);
  });

  test('stops being converted with the reason of the signal', async () => {
    served = { type: 'text/html', body: '<i>a</i>'.repeat(100_000) };
    const controller = new AbortController();
    const reason = new Error('stop');
    const clock = createManualClock();
    const provider = createFetchProvider({ policy, clock });
    const page = provider.extract?.(server.origin, { signal: controller.signal });
    const failure = expect(page).rejects.toBe(reason);
    await server.heard('/');
    await server.idle();
    // The fetch is over: what is pending is the limit of the conversion.
    while (clock.pendingCount === 0) await clock.advance(0);
    controller.abort(reason);
    await failure;
    expect(clock.pendingCount).toBe(0);
  });
});

describe('pages that take long', () => {
  const reason = new Error('enough');
  let pages: TestServer;
  let stop: AbortController;

  beforeEach(async () => {
    stop = new AbortController();
    pages = await openTestServer(({ path }, response) => {
      const body = path.startsWith('/long') ? `${'<div>'.repeat(60_000)}long` : '<h1>Short</h1>';
      response.writeHead(200, { 'content-type': 'text/html' }).end(body);
    });
  });

  afterEach(async () => {
    await pages[Symbol.asyncDispose]();
  });

  function open(options: Partial<FetchProviderOptions>) {
    const provider = createFetchProvider({ policy, ...options });
    return (path: string, more: ExtractOptions = {}): Promise<ExtractedPage> =>
      provider.extract?.(`${pages.origin}${path}`, { signal: stop.signal, ...more }) ??
      Promise.reject(new TypeError('cannot extract'));
  }

  /** Ends what is still being read, and says how many pages that were. */
  async function countStopped(reading: readonly Promise<unknown>[]): Promise<number> {
    stop.abort(reason);
    const outcomes = await Promise.allSettled(reading);
    return outcomes.filter((outcome) => outcome.status === 'rejected' && outcome.reason === reason).length;
  }

  test('of one rollout leave threads for those of another', async () => {
    const read = open({ html: { maxWorkers: 2 } });
    const caller = {};
    const reading = ['/long1', '/long2', '/long3'].map((path) => read(path, { caller }));
    await Promise.all(['/long1', '/long2', '/long3'].map((path) => pages.heard(path)));
    await pages.idle();
    expect(await read('/short', { caller: {} })).toMatchObject({ content: '# Short' });
    expect(await countStopped(reading)).toBe(3);
  });

  test('give their threads back, and are closed with the provider', async () => {
    using terminate = jest.spyOn(Worker.prototype, 'terminate');
    const provider = createFetchProvider({ policy, html: { maxWorkers: 1 } });
    const read = (path: string, timeLimitMs?: number) => provider.extract?.(`${pages.origin}${path}`, { timeLimitMs });
    for (const timeLimitMs of [0, 1, 500]) expect(await read('/long', timeLimitMs)).toMatchObject({ content: 'long' });
    expect(await read('/short')).toMatchObject({ content: '# Short' });
    expect(await read('/long', 500)).toMatchObject({ content: 'long' });
    await provider[Symbol.asyncDispose]?.();
    // An ended thread has no number.
    const numbers = terminate.mock.contexts.map((thread) => thread instanceof Worker && thread.threadId);
    expect(numbers.length).toBeGreaterThanOrEqual(3);
    expect(numbers).toEqual(numbers.map(() => -1));
  });

  test('are given as plain text where no thread becomes free within 10 s', async () => {
    const clock = createManualClock();
    const logger = createMemoryLogger();
    const read = open({ clock, logger, html: { maxWorkers: 1 } });
    const long = read('/long');
    await pages.heard('/long');
    await pages.idle();
    while (clock.pendingCount < 1) await clock.advance(0);
    const short = read('/short');
    await pages.heard('/short');
    await pages.idle();
    while (clock.pendingCount < 2) await clock.advance(0);
    await clock.advance(10_000);
    expect(await short).toMatchObject({ content: 'Short', status: 200, isIncomplete: false });
    expect(logger.entries).toMatchObject([{ fields: { message: 'Not done within 10000 ms' } }]);
    expect(await countStopped([long])).toBe(1);
    expect(clock.pendingCount).toBe(0);
  });

  test.each([
    ['a little before the caller gives up', 30_000, 28_000],
    ['when nine tenths of a short time are over', 1_000, 900],
  ])('are given as plain text %s', async (_when, timeLimitMs, expectedMs) => {
    const clock = createManualClock();
    const read = open({ clock, html: { timeoutMs: 60_000 } });
    const long = read('/long', { timeLimitMs });
    await pages.heard('/long');
    await pages.idle();
    while (clock.pendingCount < 1) await clock.advance(0);
    const pending = Symbol('pending');
    await clock.advance(expectedMs - 1);
    expect(await Promise.race([long, Promise.resolve(pending)])).toBe(pending);
    await clock.advance(1);
    expect(await long).toMatchObject({ content: 'long' });
  });
});

describe('other text', () => {
  test.each([
    ['text/plain', 'a < b\n'],
    ['application/json', '{"a": 1}'],
    ['application/ld+json', '{"a": 1}'],
    ['application/xml', '<a>1</a>'],
    ['application/rss+xml; charset=utf-8', '<rss/>'],
    ['text/markdown', '# Title'],
    ['image/svg+xml', '<svg/>'],
    [undefined, 'no type at all'],
    ['nonsense', 'no type at all'],
  ])('of the type %s is given as it is', async (type, body) => {
    const page = await extract(type === undefined ? { body } : { type, body });
    expect(page).toMatchObject({ content: body, title: '' });
  });

  test('that begins with comments is read without looking at them again and again', async () => {
    const body = `${'<!---->'.repeat(140)}words`;
    expect(await extract({ body })).toMatchObject({ content: body });
  });

  test('that is HTML without saying so is read as HTML', async () => {
    expect(await extract({ body: '<!-- x --><!DOCTYPE html><p>one</p>' })).toMatchObject({ content: 'one' });
  });
});

describe('the charset', () => {
  const latin = Buffer.from('<p>Grüße</p>', 'latin1');
  test.each([
    ['of the header', 'text/html; charset=ISO-8859-1', latin, 'Grüße'],
    ['of the header in quotes', 'text/html; charset="windows-1252"', latin, 'Grüße'],
    ['of a meta element', 'text/html', Buffer.concat([Buffer.from('<meta charset=latin1>'), latin]), 'Grüße'],
    [
      'of an old meta element',
      'text/html',
      Buffer.concat([
        Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'),
        Buffer.from([0xd0]),
      ]),
      'п',
    ],
    [
      'of an XML declaration',
      'text/xml',
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="latin1"?>'), latin]),
      /Grüße/,
    ],
    ['of a mark, against the header', 'text/plain; charset=latin1', Buffer.from('\ufeffGrüße'), 'Grüße'],
    [
      'of a UTF-16 mark',
      'text/plain',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße', 'utf16le')]),
      'Grüße',
    ],
    ['that nobody names, UTF-8', 'text/html', Buffer.from('<p>Grüße</p>'), 'Grüße'],
    ['that nobody names, another', 'text/html', latin, 'Grüße'],
    ['that nobody knows', 'text/html; charset=klingon', latin, 'Grüße'],
    ['that is wrong', 'text/html; charset=utf-8', latin, 'Gr\ufffd\ufffde'],
    [
      'UTF-16 in a meta element, which cannot be',
      'text/html',
      Buffer.from('<meta charset="utf-16"><p>Grüße</p>'),
      'Grüße',
    ],
  ])('%s is used', async (_what, type, body, expected) => {
    const { content } = await extract({ type, body });
    if (typeof expected === 'string') expect(content).toBe(expected);
    else expect(content).toMatch(expected);
  });
});

describe('what is no text', () => {
  test.each([
    [
      'application/pdf',
      '%PDF-1.7',
      /sent a PDF \(application\/pdf\), which cannot be read here\. Look for a page in HTML/,
    ],
    ['text/html', '%PDF-1.7', /sent a PDF/],
    ['image/png', '\x89PNG', /sent a picture \(image\/png\)/],
    ['application/zip', 'PK', /sent no text \(application\/zip\)/],
    ['application/octet-stream', 'a\0b', /sent no text/],
    ['text/plain', 'a\0b', /sent no text/],
    ['video/mp4', 'x', /sent no text \(video\/mp4\)/],
  ])('is refused with its type: %s', async (type, body, message) => {
    await expect(extract({ type, body: Buffer.from(body, 'latin1') })).rejects.toMatchObject({
      kind: 'not_available',
      contentType: type,
      message: expect.stringMatching(message),
    });
  });
});

test.each([
  [404, 'not_found', false],
  [410, 'not_found', false],
  [401, 'permission', false],
  [403, 'permission', false],
  [500, 'network', true],
  [503, 'network', true],
  [418, 'network', false],
])('a page of status %d fails with the kind %s', async (status, kind, retryable) => {
  await expect(extract({ status, type: 'text/html', body: 'no' })).rejects.toMatchObject({ kind, status, retryable });
});

test('a page of 50 MB is read up to the limit', async () => {
  const page = await extract({ type: 'text/plain', body: Buffer.alloc(50_000_000, 'x') });
  expect(page.content.length).toBe(5_242_880);
  expect(page.isIncomplete).toBe(true);
});
