import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createBuiltinRegistry, createToolRegistry, defineTool } from '@talaria/tools';
import { createBrowserTools, createFixtureDriver } from '@talaria/tools/browser';
import { createUrlPolicy, createWebTools, openFixtureProvider } from '@talaria/tools/web';
import { processEnvironment } from '../src/index.ts';
import { callTool, driverOptions, numberItems, numbers, temporaryFolder } from './harness.ts';

const pages = {
  'https://shop.example/': '<title>Shop</title><h1>Shop</h1><a href="/cart">Cart</a>',
  'https://shop.example/cart': '<title>Cart</title><h1>Two teas</h1>',
};

test('a reward function sees the very browser tab and background process that the model left', async () => {
  await using folder = await temporaryFolder();
  await using driver = createFixtureDriver({ pages });
  const environment = numbers({
    items: numberItems(2),
    async computeReward(_item, { messages }, context) {
      expect(String(messages.findLast((message) => message.role === 'tool')?.content)).toContain('proc_');
      expect(await context.browserSnapshot()).toContain('Two teas');
      const listed = JSON.parse((await context.callTool('process', { action: 'list' })).content);
      expect(listed.processes).toMatchObject([{ command: 'sleep 600', status: 'running' }]);
      expect(await context.browserNavigate('https://shop.example/')).toMatchObject({ title: 'Shop' });
      return 1;
    },
  });
  const turns = [
    callTool('browser_navigate', { url: 'https://shop.example/cart' }),
    callTool('terminal', { command: 'sleep 600', background: true }),
  ];
  const script = ({ messages }: { messages: readonly unknown[] }) =>
    turns[(messages.length - 1) / 2] ?? { content: 'done' };
  const backend = createLocalBackend({
    stateFolder: join(folder.path, 'state'),
    environment: { PATH: process.env['PATH'] },
    killGraceMs: 50,
  });
  const summary = await processEnvironment(
    environment,
    driverOptions(environment, {
      folder: folder.path,
      argv: ['--steps', '2', '--group-size', '2', '--toolsets', 'terminal,browser'],
      script,
      changes: { backend, registry: createBuiltinRegistry(createBrowserTools({ driver })) },
    }),
  );
  expect(summary.rollouts[0]?.failure ?? null).toBeNull();
  expect(summary).toMatchObject({ outcome: 'done', meanReward: 1 });
});

test('a reward function searches and reads with the provider of the run', async () => {
  await using folder = await temporaryFolder();
  await using provider = await openFixtureProvider({
    pages: [{ url: 'https://tea.example/', title: 'Tea', content: 'Tea is made of leaves.' }],
  });
  const environment = numbers({
    items: numberItems(1),
    async computeReward(_item, _result, context) {
      expect(await context.webSearch('tea leaves')).toMatchObject([{ url: 'https://tea.example/', title: 'Tea' }]);
      const [page, missing] = await context.webExtract(['https://tea.example/', 'https://none.example/']);
      expect(page).toMatchObject({ content: expect.stringContaining('made of leaves'), error: null });
      expect(missing?.error).not.toBeNull();
      await expect(context.browserSnapshot()).rejects.toMatchObject({ code: 'task.tool-failed' });
      return 1;
    },
  });
  const policy = createUrlPolicy({ resolve: async () => [{ address: '93.184.215.14', family: 4 }] });
  const summary = await processEnvironment(
    environment,
    driverOptions(environment, {
      folder: folder.path,
      argv: ['--steps', '1', '--group-size', '1'],
      changes: { registry: createBuiltinRegistry(createWebTools({ provider, policy })) },
      script: () => ({ content: 'done' }),
    }),
  );
  expect(summary.rollouts[0]?.failure ?? null).toBeNull();
  expect(summary).toMatchObject({ outcome: 'done', meanReward: 1 });
});

test('tools of an item without a network know of it, those of its reward function do not', async () => {
  await using folder = await temporaryFolder();
  const probe = defineTool({
    name: 'probe',
    description: 'Says whether there is a network.',
    parameters: { type: 'object', properties: {} },
    toolset: 'vision',
    sideEffect: 'none',
    execute: async (_args, { settings }) => ({ network: settings.isNetworkAllowed }),
  });
  const seen: string[] = [];
  const environment = numbers({
    items: numberItems(2).map((item, index) => ({ ...item, network: index === 1 })),
    async computeReward({ network }, { messages }, context) {
      const told = String(messages.findLast((message) => message.role === 'tool')?.content);
      seen.push(`${network}: ${told} ${(await context.callTool('probe', {})).content}`);
      return 1;
    },
  });
  await processEnvironment(
    environment,
    driverOptions(environment, {
      folder: folder.path,
      argv: ['--steps', '2', '--group-size', '1', '--toolsets', 'vision', '--allow-local'],
      script: ({ messages }) => (messages.length === 1 ? callTool('probe', {}) : { content: 'done' }),
      changes: { registry: createToolRegistry({ tools: [probe] }) },
    }),
  );
  expect(seen.sort()).toEqual(['false: {"network":false} {"network":true}', 'true: {"network":true} {"network":true}']);
});
