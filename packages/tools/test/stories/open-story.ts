import { createDisposalStack, type DisposalStack, ModelError } from '@talaria/core';
import type { Sandbox } from '@talaria/terminal-backends';
import { createBuiltinRegistry, createToolState, type Tool } from '@talaria/tools';
import { createBrowserTools } from '@talaria/tools/browser';
import { createModelTools, type ImageModel } from '@talaria/tools/models';
import {
  createStoreTools,
  createTransientMemoryStore,
  createTransientSessionStore,
  createTransientSkillStore,
} from '@talaria/tools/stores';
import type { TestDispatcher } from '@talaria/tools/testing';
import { createUrlPolicy, createWebTools, openFixtureProvider } from '@talaria/tools/web';
import { createScriptedToolModel } from '../models/scripted-tool-model.ts';
import { openLocalTools } from '../open-local-sandbox.ts';
import { createScriptedBrowser } from './scripted-browser.ts';

/** Tools that a story is told with, and what ends them. */
export interface StoryTools extends AsyncDisposable {
  readonly tools: TestDispatcher;
  readonly names: ReadonlySet<string>;
  readonly sandbox: Sandbox;
}

/** A picture of one dot, as PNG. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const eye = createScriptedToolModel('eye', ({ messages }) => {
  const question = JSON.stringify(messages);
  if (question.includes('closed')) throw new ModelError('eye did not answer', { code: 'model.timeout' });
  return question.includes('nothing') ? '' : 'One red dot.';
});

const painter: ImageModel = {
  name: 'painter',
  async generate({ prompt, aspectRatio }) {
    if (prompt.includes('forbidden')) throw new ModelError('painter refused the prompt', { code: 'model.bad-request' });
    if (prompt.includes('nothing')) return { images: [], revisedPrompt: null };
    if (prompt.includes('elsewhere')) return { images: [{ url: 'https://images.example/1.png' }], revisedPrompt: null };
    return { images: [{ bytes: dot, mediaType: 'image/png' }], revisedPrompt: `${prompt}, ${aspectRatio}` };
  },
};

const shop = {
  'https://shop.example/': `<title>Shop</title><h1>Shop</h1><a href="/cart">Cart</a><a href="/none">Gone</a>
    <img src="/logo.png" alt="Logo" width="40" height="20">`,
  'https://shop.example/cart': `<title>Cart</title><form action="/order" method="post"><label>Name <input name="name"></label>
    <label>Password <input name="password" type="password"></label>
    <label>Size <select name="size"><option>small</option><option>large</option></select></label>
    <button>Order</button></form>`,
  'POST https://shop.example/order': '<title>Ordered</title><p>Thank you.</p>',
  'https://shop.example/broken': '<title>Broken</title><p>It does not work.</p>',
  'https://shop.example/long': `<title>Long</title><ul>${Array.from({ length: 40 }, (_, at) => `<li>Line ${at}</li>`).join('')}</ul>`,
};

/** Opens the tools of a story by the story's name, over a sandbox with `dot.png` and `notes.txt` in it. */
export async function openStory(name: string): Promise<StoryTools> {
  const open = openers[name];
  if (open === undefined) throw new TypeError(`No story is named ${name}`);
  const stack = createDisposalStack();
  try {
    const tools = await open(stack);
    const state = stack.use(createToolState());
    const view = createBuiltinRegistry(tools).view({ enabled: [...new Set(tools.map((tool) => tool.toolset))] });
    const local = stack.use(await openLocalTools({ view, state }));
    await local.sandbox.writeFile('dot.png', dot);
    await local.sandbox.writeFile('notes.txt', 'no picture');
    return {
      tools: local.tools,
      names: view.names,
      sandbox: local.sandbox,
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}

const openers: Readonly<Record<string, (stack: DisposalStack) => Promise<readonly Tool[]>>> = {
  async web(stack) {
    const content = `# Robins\n\nThe robin is a small bird.\n\n${'It sings. '.repeat(12)}`;
    const pages = [
      { url: 'https://birds.example/robin', title: 'Robins', description: 'About robins', content },
      { url: 'https://birds.example/wren', title: 'Wrens', content: 'The wren is smaller than the robin.' },
    ];
    const provider = stack.use(await openFixtureProvider({ pages }));
    return createWebTools({ policy: createUrlPolicy(), provider, maxPageChars: 60 });
  },
  async browser(stack) {
    const driver = stack.use(createScriptedBrowser(shop, dot));
    return createBrowserTools({ driver, vision: eye, maxSnapshotChars: 400 });
  },
  async models() {
    const pool = ['a', 'b'].map((name) => createScriptedToolModel(name, () => `${name} says 7`));
    return createModelTools({
      vision: eye,
      image: painter,
      mixture: {
        proposers: pool,
        aggregator: createScriptedToolModel('sum', ({ messages }) =>
          JSON.stringify(messages).includes('Say nothing') ? '' : 'Seven.',
        ),
      },
    });
  },
  async stores() {
    const sessions = createTransientSessionStore();
    const at = Date.UTC(2026, 0, 1);
    await sessions.append('tenant', 'first', [
      { role: 'user', content: 'Where does the robin nest?', at },
      { role: 'assistant', content: 'In hedges.', at: at + 1_000 },
    ]);
    await sessions.append('tenant', 'second', [{ role: 'user', content: 'And the wren?', at: at + 60_000 }]);
    return createStoreTools({
      tenant: 'tenant',
      memory: createTransientMemoryStore(),
      sessions,
      skills: createTransientSkillStore(),
      askUser: async ({ choices }) => choices?.[0] ?? null,
      memoryLimits: { memory: 60, user: 60 },
    });
  },
};
