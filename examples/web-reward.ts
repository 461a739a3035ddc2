// A reward that looks at a web page, at the browser tab that the model left, and at a file of its sandbox. Pages and tabs
// come from files, so that it needs no network and always gives the same. It runs as it is: `node web-reward.ts`.
import { fileURLToPath } from 'node:url';
import { isMainModule, runEnvironmentCli } from '@talaria/command-line';
import { defineEnvironment } from '@talaria/environments';

const fileBeside = (name: string): string => fileURLToPath(new URL(`./web-reward/${name}`, import.meta.url));

export const environment = defineEnvironment({
  name: 'tea-shop',
  isLocalSafe: true,
  configInit: () => ({
    env: { enabled_toolsets: ['web', 'browser', 'file'], group_size: 2 },
    // Absolute, since a relative path would count from the folder in which the program is started.
    web: { backend: 'fixture', fixture: fileBeside('pages.json') },
    browser: { driver: 'fixture', fixture: fileBeside('tabs.json') },
  }),
  items: [{ id: 'tea', priceUrl: 'https://prices.example/tea', shopUrl: 'https://shop.example/' }],
  formatPrompt: ({ priceUrl, shopUrl }) =>
    `Write the price of tea in cents, which ${priceUrl} has, to ~/price.txt. Then order tea at ${shopUrl}.`,

  async computeReward({ priceUrl }, _result, { browserSnapshot, callTool, exists, readText, webExtract }) {
    const [page] = await webExtract([priceUrl]);
    const price = page?.content.match(/\d+/)?.[0];
    // No reward of 0: without the page nobody can tell whether the model was right.
    if (price === undefined) throw new Error(`${priceUrl} holds no price: ${page?.error ?? page?.content}`);

    // Ask first: a missing file and a tab that was never opened are wrong answers, but reading them is an error.
    const isWritten = (await exists('~/price.txt')) && (await readText('~/price.txt')).trim() === price;
    const hasTab = (await callTool('browser_snapshot', {})).errorKind !== 'not_found';
    const isOrdered = hasTab && (await browserSnapshot()).includes('Your tea is on its way');

    const parts = { written: isWritten ? 1 : 0, ordered: isOrdered ? 1 : 0 };
    return { reward: (parts.written + parts.ordered) / 2, parts };
  },

  // The second sample orders nothing: half of the reward.
  referenceTurns: ({ priceUrl, shopUrl }, sample) => [
    { toolCalls: [{ name: 'web_extract', arguments: { urls: [priceUrl] } }] },
    { toolCalls: [{ name: 'write_file', arguments: { path: '~/price.txt', content: '240' } }] },
    ...(sample % 2 === 0
      ? [
          { toolCalls: [{ name: 'browser_navigate', arguments: { url: shopUrl } }] },
          { toolCalls: [{ name: 'browser_snapshot', arguments: {} }] },
          { toolCalls: [{ name: 'browser_click', arguments: { ref: 'e3' } }] },
        ]
      : []),
    { content: 'Done.' },
  ],
});

if (isMainModule(import.meta.url)) await runEnvironmentCli(environment);
