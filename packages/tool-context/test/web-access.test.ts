import { describe, expect, test } from '@jest/globals';
import { createSandboxLease } from '@talaria/terminal-backends';
import { createToolContext, type ToolContext } from '@talaria/tool-context';
import type { ToolDispatcher } from '@talaria/tools';
import { createToolRegistry } from '@talaria/tools';
import { createBrowserTools, createFixtureDriver } from '@talaria/tools/browser';
import { createTestDispatcher } from '@talaria/tools/testing';
import { createUrlPolicy, createWebTools, WebError } from '@talaria/tools/web';
import { createStubSandbox, createStubTools } from './stub-sandbox.ts';

function contextOver(tools: ToolDispatcher): ToolContext {
  return createToolContext({ taskId: 'task', lease: createSandboxLease(async () => createStubSandbox({})), tools });
}

describe('the web tools of a reward function', () => {
  test('give what the tools found, typed', async () => {
    const tools = createStubTools({
      web_search: JSON.stringify({
        success: true,
        data: { web: [{ url: 'https://a.example/', title: 'A', description: 'of a', position: 1 }] },
      }),
      web_extract: JSON.stringify({
        results: [
          { url: 'https://a.example/', title: 'A', content: '# A' },
          { url: 'https://b.example/', title: '', content: '', error: 'HTTP status 404' },
        ],
      }),
      browser_navigate: JSON.stringify({ success: true, url: 'https://a.example/home', title: 'Home' }),
      browser_snapshot: JSON.stringify({ success: true, snapshot: '- heading "Home"', element_count: 1 }),
    });
    const context = contextOver(tools);
    expect(await context.webSearch('a', { limit: 3 })).toEqual([
      { url: 'https://a.example/', title: 'A', description: 'of a' },
    ]);
    expect(await context.webExtract(['https://a.example/', 'https://b.example/'])).toEqual([
      { url: 'https://a.example/', title: 'A', content: '# A', isIncomplete: false, error: null },
      { url: 'https://b.example/', title: '', content: '', isIncomplete: false, error: 'HTTP status 404' },
    ]);
    expect(await context.browserNavigate('https://a.example/')).toEqual({
      url: 'https://a.example/home',
      title: 'Home',
    });
    expect(await context.browserSnapshot()).toBe('- heading "Home"');
    expect(tools.calls.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
      ['web_search', { query: 'a', limit: 3 }],
      ['web_extract', { urls: ['https://a.example/', 'https://b.example/'] }],
      ['browser_navigate', { url: 'https://a.example/' }],
      ['browser_snapshot', { full: true }],
    ]);
  });

  test('reject where the tool is not configured, and say how to see why', async () => {
    await expect(contextOver(createStubTools()).webSearch('a')).rejects.toMatchObject({
      code: 'task.tool-failed',
      message: 'The tool web_search failed: Unknown tool',
      hint: expect.stringContaining('talaria tools doctor'),
    });
  });
});

/** A dispatcher of whose only tool each call gets the next of these results. */
function inTurn(results: readonly object[]): ToolDispatcher & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  return {
    ...createStubTools(),
    asked,
    async dispatch(call) {
      const tools = createStubTools({ [call.function.name]: JSON.stringify(results[asked.length]) });
      asked.push(call.function.arguments);
      return tools.dispatch(call);
    },
  };
}

const url = 'https://a.example/';

function pagePart(content: string, rest: object = {}): object {
  return { results: [{ url, title: 'A', content, ...rest }] };
}

describe('a page that is given in parts', () => {
  const first = pagePart('one ', { truncated: true, total_chars: 9, next_offset: 4 });

  test('is read to its end', async () => {
    const tools = inTurn([
      pagePart('one ', { truncated: true, total_chars: 13, next_offset: 4 }),
      pagePart('two ', { truncated: true, total_chars: 13, next_offset: 8 }),
      pagePart('three', { offset: 8 }),
    ]);
    expect(await contextOver(tools).webExtract([url])).toEqual([
      { url, title: 'A', content: 'one two three', isIncomplete: false, error: null },
    ]);
    expect(tools.asked.map((text) => JSON.parse(text).offset)).toEqual([undefined, 4, 8]);
  });

  test.each([
    ['becomes longer', pagePart('2 3 4', { truncated: true, total_chars: 12, next_offset: 9, offset: 4 })],
    ['ends earlier', pagePart('two', { offset: 4 })],
    ['has become too short', pagePart('', { error: 'The page has only 3 characters.', total_chars: 3 })],
  ])('is read again from its beginning where it %s meanwhile', async (_how, changed) => {
    const tools = inTurn([first, changed, pagePart('1 2 ', { total_chars: 5, next_offset: 4 }), pagePart('3')]);
    expect(await contextOver(tools).webExtract([url])).toMatchObject([{ content: '1 2 3', error: null }]);
  });

  test('is an error where it never stays as it is', async () => {
    const tools = inTurn(Array.from({ length: 3 }, () => [first, pagePart('something else')]).flat());
    expect(await contextOver(tools).webExtract([url])).toMatchObject([
      { content: '', error: 'It changed while it was read, 3 times.' },
    ]);
    expect(tools.asked).toHaveLength(6);
  });

  test('is an error where a later part cannot be read', async () => {
    const tools = inTurn([first, { results: [{ url, title: '', content: '', error: 'HTTP status 500' }] }]);
    expect(await contextOver(tools).webExtract([url])).toMatchObject([{ content: '', error: 'HTTP status 500' }]);
  });

  test('never goes on for ever', async () => {
    const tools = inTurn(Array.from({ length: 10 }, () => pagePart('', { total_chars: 5, next_offset: 0 })));
    expect(await contextOver(tools).webExtract([url])).toMatchObject([{ content: '', error: expect.any(String) }]);
    expect(tools.asked).toHaveLength(3);
  });

  test.each([
    ['was too large', { note: 'The page is too large: its end was not read.' }],
    ['was shortened by a model', { summarized_by: 'small' }],
  ])('says so where it %s', async (_why, rest) => {
    expect(await contextOver(inTurn([pagePart('one', rest)])).webExtract([url])).toMatchObject([
      { content: 'one', isIncomplete: true, error: null },
    ]);
  });
});

test('a result that the dispatcher cut is an error, not half a page', async () => {
  const tools = createStubTools({
    web_extract: JSON.stringify({ ...pagePart('cut'), truncated_chars: 7 }),
    browser_snapshot: JSON.stringify({ snapshot: 'cut', truncated_chars: 7 }),
  });
  await expect(contextOver(tools).webExtract([url])).rejects.toMatchObject({ code: 'task.tool-failed' });
  await expect(contextOver(tools).browserSnapshot()).rejects.toMatchObject({ code: 'task.tool-failed' });
});

describe('over the tools themselves', () => {
  const resolve = async () => [{ address: '93.184.215.14', family: 4 as const }];
  const long = `${'y'.repeat(50_000)}THE END`;
  const webTools = createWebTools({
    policy: createUrlPolicy({ resolve }),
    provider: {
      name: 'stub',
      async extract(address) {
        if (address.endsWith('/bad'))
          throw new WebError('not_found', 'stub answered with HTTP status 404.', { status: 404 });
        const page = { url: address, title: 'Long', content: long, status: 200, contentType: null };
        return { ...page, isIncomplete: false };
      },
    },
  });

  test('a page longer than their limit is whole', async () => {
    await using tools = createTestDispatcher({ view: createToolRegistry({ tools: webTools }).view() });
    const pages = await contextOver(tools).webExtract([`${url}1`, `${url}bad`, `${url}2`]);
    expect(pages.map(({ content, error }) => [content.length, error])).toEqual([
      [50_007, null],
      [0, 'stub answered with HTTP status 404.'],
      [50_007, null],
    ]);
    expect(pages[2]?.content.endsWith('THE END')).toBe(true);
  });

  test('the only page that cannot be read says why', async () => {
    await using tools = createTestDispatcher({ view: createToolRegistry({ tools: webTools }).view() });
    expect(await contextOver(tools).webExtract([`${url}bad`])).toEqual([
      { url: `${url}bad`, title: '', content: '', isIncomplete: false, error: 'stub answered with HTTP status 404.' },
    ]);
    await expect(contextOver(tools).webExtract([])).rejects.toMatchObject({ code: 'task.tool-failed' });
  });

  test('a snapshot longer than their limit is whole', async () => {
    const rows = Array.from({ length: 2_000 }, (_, index) => `<h2>Heading number ${index}</h2>`).join('');
    await using driver = createFixtureDriver({ pages: { [url]: `<title>Rows</title>${rows}<h1>The very end</h1>` } });
    const browserTools = createBrowserTools({ driver });
    await using tools = createTestDispatcher({ view: createToolRegistry({ tools: browserTools }).view() });
    const context = contextOver(tools);
    await context.browserNavigate(url);
    const snapshot = await context.browserSnapshot();
    expect(snapshot).toContain('The very end');
    expect(snapshot.match(/Heading number \d+/g)).toHaveLength(2_000);
  });
});
