import { describe, expect, test } from '@jest/globals';
import { createSandboxLease } from '@talaria/terminal-backends';
import { createToolContext, type ToolContext } from '@talaria/tool-context';
import { createStubSandbox, createStubTools } from './stub-sandbox.ts';

function contextOver(tools: ReturnType<typeof createStubTools>): ToolContext {
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
      { url: 'https://a.example/', title: 'A', content: '# A', error: null },
      { url: 'https://b.example/', title: '', content: '', error: 'HTTP status 404' },
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
