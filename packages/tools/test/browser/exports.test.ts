import { expect, test } from '@jest/globals';

test('the entry points of the browser have exactly these values', async () => {
  expect(Object.keys(await import('@talaria/tools/browser')).sort()).toEqual([
    'BrowserError',
    'createBrowserTools',
    'createFixtureDriver',
    'openFixtureDriver',
  ]);
  expect(Object.keys(await import('@talaria/tools/browser/playwright')).sort()).toEqual([
    'createPlaywrightDriver',
    'describeMissingBrowser',
  ]);
});
