import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createFixtureDriver, openFixtureDriver } from '@talaria/tools/browser';
import { browserContract } from './contract-cases.ts';
import { contractPages } from './contract-pages.ts';
import { openBrowserTools, refIn } from './open-browser-tools.ts';

const origin = 'http://shop.test:8080';

function pagesAt(base: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(contractPages).map(([key, html]) => {
      const [, method = '', path = ''] = /^(POST )?(.*)$/.exec(key) ?? [];
      return [`${method}${base}${path}`, html];
    }),
  );
}

describe('the contract of browser drivers, over stored pages', () => {
  test.each(browserContract.map((entry) => [entry.name, entry] as const))('%s', async (_name, entry) => {
    await using driver = createFixtureDriver({ pages: pagesAt(origin) });
    await entry.run({ driver, origin });
  });
});

describe('stored pages', () => {
  test('are read from a file, once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'talaria-pages-'));
    const file = join(folder, 'pages.json');
    await writeFile(file, JSON.stringify({ 'http://a.test': '<title>A</title>' }));
    await using driver = await openFixtureDriver({ file });
    await rm(folder, { recursive: true });
    await using tools = openBrowserTools({ driver });
    expect(await tools.callJson('browser_navigate', { url: 'http://a.test/#part' })).toMatchObject({ title: 'A' });
  });

  test.each([
    ['no file', undefined],
    ['no JSON', 'nonsense'],
    ['a list', '[]'],
    ['something else than HTML', '{"http://a.test/": 1}'],
    ['a key that is no address', '{"a": ""}'],
  ])('a file with %s is told before there is a driver', async (_what, content) => {
    const folder = await mkdtemp(join(tmpdir(), 'talaria-pages-'));
    const file = join(folder, 'pages.json');
    if (content !== undefined) await writeFile(file, content);
    await expect(openFixtureDriver({ file })).rejects.toMatchObject({ code: 'config.invalid' });
    await rm(folder, { recursive: true });
  });

  test('keys that are no addresses, and no sessions at all, are refused', () => {
    expect(() => createFixtureDriver({ pages: {}, maxSessions: 0 })).toThrow(/maxSessions is 0/);
    expect(() => createFixtureDriver({ pages: { 'ftp://a.test/': '' } })).toThrow(/no http or https address/);
  });

  test('a page that is not there, and redirections without end, are told; the page before stays', async () => {
    await using driver = createFixtureDriver({ pages: pagesAt(origin) });
    await using tools = openBrowserTools({ driver });
    await tools.callJson('browser_navigate', { url: `${origin}/` });
    const missing = await tools.callJson('browser_navigate', { url: `${origin}/none` });
    expect(missing).toMatchObject({ success: false, error_kind: 'not_found' });
    const loop = await tools.callJson('browser_navigate', { url: `${origin}/loop` });
    expect(loop).toMatchObject({ success: false, error: 'The address redirects without end.' });
    const { snapshot } = await tools.callJson('browser_snapshot', {});
    expect(snapshot).toMatch(/heading "Shop"/);
  });

  test('give the same snapshot each time', async () => {
    await using driver = createFixtureDriver({ pages: pagesAt(origin) });
    const taken: string[] = [];
    for (let time = 0; time < 3; time += 1) {
      await using tools = openBrowserTools({ driver });
      await tools.callJson('browser_navigate', { url: `${origin}/` });
      taken.push((await tools.call('browser_snapshot', { full: true })).content);
    }
    expect(new Set(taken).size).toBe(1);
  });

  test('a form is not sent while a field of it is missing', async () => {
    const pages = {
      'http://a.test/': '<form action="/b"><input name="n" aria-label="Name" required><button>Send</button></form>',
      'http://a.test/b': '<title>Sent</title>',
    };
    await using driver = createFixtureDriver({ pages });
    await using tools = openBrowserTools({ driver });
    await tools.callJson('browser_navigate', { url: 'http://a.test/' });
    const { snapshot } = await tools.callJson('browser_snapshot', {});
    const refused = await tools.callJson('browser_click', { ref: refIn(snapshot, /Send/) });
    expect(refused).toMatchObject({ success: true, notes: ['The form was not sent: fill in "Name".'] });
    await tools.callJson('browser_type', { ref: refIn(snapshot, /Name/), text: 'x' });
    expect(await tools.callJson('browser_click', { ref: refIn(snapshot, /Send/) })).toMatchObject({ title: 'Sent' });
  });

  test('pages nested without end are shown as text from some depth on', async () => {
    const html = `${'<div><ul>'.repeat(2_000)}deep`;
    await using driver = createFixtureDriver({ pages: { 'http://a.test/': html } });
    await using tools = openBrowserTools({ driver });
    await tools.callJson('browser_navigate', { url: 'http://a.test/' });
    expect((await tools.callJson('browser_snapshot', {}))['snapshot']).toMatch(/deep/);
  });

  test('a session over, the next one in line comes', async () => {
    await using driver = createFixtureDriver({ pages: pagesAt(origin), maxSessions: 1 });
    await using first = openBrowserTools({ driver });
    await using second = openBrowserTools({ driver });
    await first.callJson('browser_navigate', { url: `${origin}/` });
    const waiting = second.callJson('browser_navigate', { url: `${origin}/` });
    await first.callJson('browser_close', {});
    expect(await waiting).toMatchObject({ success: true });
  });
});
