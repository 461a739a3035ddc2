import { describe, expect, test } from '@jest/globals';
import { createBuiltinRegistry } from '@talaria/tools';
import { createBrowserTools, createFixtureDriver } from '@talaria/tools/browser';
import { createPlaywrightDriver, describeMissingBrowser } from '@talaria/tools/browser/playwright';
import { createPageNotes } from '../../src/browser/page-notes.ts';
import { judgePlaywright } from '../../src/browser/playwright/load-playwright.ts';
import { createProxyClient, describeRefusal } from '../../src/browser/proxy/proxy-client.ts';
import { shapeSnapshot } from '../../src/browser/snapshot/shape-snapshot.ts';
import { snapshotWindow } from '../../src/browser/snapshot/snapshot-window.ts';
import { openBrowserTools, refIn } from './open-browser-tools.ts';

const names = [
  'browser_back',
  'browser_click',
  'browser_close',
  'browser_console',
  'browser_get_images',
  'browser_navigate',
  'browser_press',
  'browser_scroll',
  'browser_snapshot',
  'browser_type',
  'browser_vision',
];

describe('the tools of the browser', () => {
  test('are eleven, whatever is configured', () => {
    const tools = createBrowserTools({ driver: null });
    expect(tools.map((tool) => tool.definition.function.name).sort()).toEqual(names);
  });

  test('are hidden with a reason where no driver is configured', () => {
    const registry = createBuiltinRegistry(createBrowserTools({ driver: null }));
    expect(() => registry.view({ enabled: ['browser'] })).toThrow(/no browser is configured/);
    expect([...registry.view().names].filter((name) => name.startsWith('browser_'))).toEqual([]);
  });

  test('are offered by default where a driver is, all but vision without a model', () => {
    const driver = createFixtureDriver({ pages: {} });
    const view = createBuiltinRegistry(createBrowserTools({ driver })).view();
    const offered = [...view.names].filter((name) => name.startsWith('browser_')).sort();
    expect(offered).toEqual(names.filter((name) => name !== 'browser_vision'));
    expect(view.warnings.join('\n')).toMatch(/browser_vision.*does not show how pages look/);
  });

  test('are hidden where the program is missing', async () => {
    const driver = createPlaywrightDriver({ executablePath: '/nonexistent/chromium' });
    const registry = createBuiltinRegistry(createBrowserTools({ driver }));
    expect(() => registry.view({ enabled: ['browser'] })).toThrow(/nonexistent\/chromium is no program/);
    expect(await describeMissingBrowser({ executablePath: '/nonexistent/chromium' })).toMatchObject([
      { part: 'program', message: '/nonexistent/chromium cannot be run.' },
    ]);
    expect(await describeMissingBrowser({ executablePath: '/bin/false' })).toMatchObject([{ part: 'program' }]);
    await driver[Symbol.asyncDispose]();
  });

  test.each([
    [undefined, 'config.missing-package'],
    ['1.60.0', 'config.old-package'],
    ['1.64.9', 'config.old-package'],
    ['1.65.0-beta-1', undefined],
    ['1.65.0', undefined],
    ['1.100.0', undefined],
    ['2.0.0', undefined],
  ])('of the package, version %s has the problem %s', (version, code) => {
    expect(judgePlaywright(version)?.code).toBe(code);
  });

  test.each([
    ['browser_navigate', {}],
    ['browser_navigate', { url: 1 }],
    ['browser_click', { ref: '' }],
    ['browser_click', { ref: null }],
    ['browser_type', { ref: 'e1' }],
    ['browser_scroll', { direction: 'left' }],
    ['browser_snapshot', { offset: -1 }],
    ['browser_press', { key: 'x'.repeat(1_000) }],
  ])('%s refuses %j', async (name, args) => {
    await using driver = createFixtureDriver({ pages: { 'http://a.test/': '' } });
    await using tools = openBrowserTools({ driver });
    const { content, isError, errorKind } = await tools.call(name, args);
    expect({ content, isError, errorKind }).toMatchObject({ isError: true, errorKind: 'invalid_args' });
  });

  test.each([
    [{ maxSnapshotChars: 0 }, /maxSnapshotChars/],
    [{ stepTimeoutMs: -1 }, /stepTimeoutMs/],
  ])('%j is refused', (options, message) => {
    expect(() => createBrowserTools({ driver: null, ...options })).toThrow(message);
  });

  test.each([
    [{ args: ['--no-proxy-server'] }, /past the URL policy/],
    [{ args: ['--proxy-bypass-list=*'] }, /past the URL policy/],
    [{ args: ['-no-proxy-server'] }, /past the URL policy/],
    [{ args: ['--lang=de', '-host-resolver-rules=MAP * 127.0.0.1'] }, /past the URL policy/],
    [{ args: [' --no-proxy-server'] }, /past the URL policy/],
    [{ args: ['--webrtc-ip-handling-policy=default'] }, /past the URL policy/],
    [{ args: ['--force-webrtc-ip-handling-policy=default'] }, /past the URL policy/],
    [{ args: ['--'] }, /past the URL policy/],
    [{ cdpUrl: 'nonsense' }, /cdpUrl/],
    [{ maxSessions: 0 }, /maxSessions/],
  ])('a driver with %j is refused', (options, message) => {
    expect(() => createPlaywrightDriver(options)).toThrow(message);
  });
});

describe('what pages call themselves', () => {
  test('is shown in part only, by every tool', async () => {
    const long = `http://a.test/?q=${'x'.repeat(7_000)}`;
    const title = 't'.repeat(20_000);
    const pages = { 'http://a.test/': `<title>${title}</title><a href="${long}">On</a>`, 'http://b.test/': '<p>B' };
    await using driver = createFixtureDriver({ pages });
    await using tools = openBrowserTools({ driver });
    const shown = { title: `${'t'.repeat(500)}…`, url: `${long.slice(0, 2_000)}…` };
    expect(await tools.callJson('browser_navigate', { url: long })).toEqual({ success: true, ...shown });
    const { snapshot } = await tools.callJson('browser_snapshot', {});
    await tools.callJson('browser_navigate', { url: 'http://a.test/' });
    const ref = refIn((await tools.callJson('browser_snapshot', {}))['snapshot'], /On/);
    expect(snapshot).toMatch(/On/);
    expect(await tools.callJson('browser_click', { ref })).toEqual({ success: true, clicked: `@${ref}`, ...shown });
    await tools.callJson('browser_navigate', { url: 'http://b.test/' });
    expect(await tools.callJson('browser_back', {})).toEqual({ success: true, ...shown });
    const missing = await tools.callJson('browser_navigate', { url: long.replace('a.test', 'c.test') });
    expect(String(missing['error']).length).toBeLessThan(400);
  });

  test('leaves room for the reason where it was not loaded, and is not repeated where it may not be visited', () => {
    const long = `http://a.test/${'x'.repeat(1_000)}`;
    const reason = 'a.test cannot be reached (ECONNREFUSED).';
    const failed = describeRefusal({ kind: 'network', target: long, message: reason });
    expect(failed).toBe(`Not loaded: ${long.slice(0, 120)}…. ${reason}`);
    const forbidden = { kind: 'blocked', message: 'The address holds the secret TOKEN. Leave it out.' } as const;
    const told = 'Not loaded: a.test:81. The address holds the secret TOKEN. Leave it out.';
    expect(describeRefusal({ ...forbidden, target: 'https://me:pass@a.test:81/?q=abcdefgh' })).toBe(told);
    expect(describeRefusal({ ...forbidden, target: 'a.test:81' })).toBe(told);
    const notes = createPageNotes();
    notes.add(describeRefusal({ kind: 'blocked', target: `${'h'.repeat(253)}:443`, message: 'm'.repeat(330) }));
    expect(notes.take().join('')).toMatch(/m{330}$/);
    const client = createProxyClient(1, () => undefined);
    const refused = client.refuse('shop.test:443', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    expect(refused.message).toBe('shop.test:443 cannot be reached (ECONNREFUSED).');
  });
});

describe('a snapshot', () => {
  const raw = [
    '- generic [active] [ref=e1]:',
    '  - generic [ref=e2]:',
    '    - heading "Hi: there" [level=1] [ref=e3]',
    '    - generic [ref=e4]: text alone',
    '    - generic [ref=e5] [cursor=pointer]: clicky',
    '    - img [ref=e6]',
    '  - list [ref=e7]:',
    '    - listitem [ref=e8]:',
    '      - link "A \\"quoted\\" [ref=e99] name" [ref=e9] [cursor=pointer]:',
    '        - /url: /a',
    '  - iframe [ref=e10]:',
    '    - button "Inside" [ref=f1e2]',
  ].join('\n');

  test('shows in short what matters, and refs where something can be done', () => {
    const { text, elementCount } = shapeSnapshot(raw, false);
    expect(text.split('\n')).toEqual([
      '- heading "Hi: there" [level=1]',
      '- text: text alone',
      '- generic [ref=e5]: clicky',
      '- list:',
      '  - listitem:',
      '    - link "A \\"quoted\\" [ref=e99] name" [ref=e9]:',
      '      - /url: /a',
      '- iframe:',
      '  - button "Inside" [ref=f1e2]',
    ]);
    expect(elementCount).toBe(3);
    expect(shapeSnapshot(raw, true)).toEqual({ text: raw, elementCount: 3 });
  });

  test('is cut between lines, a long line between characters', () => {
    expect(snapshotWindow('ab\ncd\nef', 0, 6)).toEqual({ text: 'ab\ncd', nextOffset: 6 });
    expect(snapshotWindow('ab\ncd\nef', 6, 6)).toEqual({ text: 'ef', nextOffset: null });
    expect(snapshotWindow('a😀b', 0, 2)).toEqual({ text: 'a', nextOffset: 1 });
    expect(snapshotWindow('ab', 9, 6)).toEqual({ text: '', nextOffset: null });
  });
});
