import { describe, expect, test } from '@jest/globals';
import { createBuiltinRegistry } from '@talaria/tools';
import { createBrowserTools, createFixtureDriver } from '@talaria/tools/browser';
import { createPlaywrightDriver, describeMissingBrowser } from '@talaria/tools/browser/playwright';
import { shapeSnapshot } from '../../src/browser/snapshot/shape-snapshot.ts';
import { snapshotWindow } from '../../src/browser/snapshot/snapshot-window.ts';
import { openBrowserTools } from './open-browser-tools.ts';

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
    [{ cdpUrl: 'nonsense' }, /cdpUrl/],
    [{ maxSessions: 0 }, /maxSessions/],
  ])('a driver with %j is refused', (options, message) => {
    expect(() => createPlaywrightDriver(options)).toThrow(message);
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
