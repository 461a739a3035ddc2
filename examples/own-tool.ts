// A tool of your own, beside the built-in ones: defined, offered to a model, checked, called.
import { runAgentLoop } from '@talaria/agent-loop';
import { scriptedModel } from '@talaria/model-client/testing';
import { createFakeSandbox } from '@talaria/terminal-backends/testing';
import { createBuiltinRegistry, createToolDispatcher, defineTool, toolError } from '@talaria/tools';
import { z } from 'zod';

const prices = new Map([
  ['tea', 240],
  ['coffee', 310],
]);

const priceTool = defineTool({
  name: 'look_up_price',
  description: 'Price of a product in cents.',
  toolset: 'shop',
  sideEffect: 'none',
  parameters: z.object({ product: z.string(), amount: z.int().min(1).default(1).describe('How many') }),
  execute({ product, amount }) {
    const price = prices.get(product);
    if (price === undefined)
      return toolError('not_found', `No ${product}. There are ${[...prices.keys()].join(', ')}.`);
    return { product, amount, cents: price * amount };
  },
});

await using tools = createToolDispatcher({
  view: createBuiltinRegistry([priceTool]).view({ enabled: ['shop'] }),
  sandbox: async () => createFakeSandbox(),
  taskId: 'example',
  rolloutId: 'rollout_1',
});

// The first call lacks a required argument: it never reaches the tool, and the model is told what is wrong.
await using model = scriptedModel([
  { toolCalls: [{ name: 'look_up_price', arguments: { item: 'tea' } }] },
  { toolCalls: [{ name: 'look_up_price', arguments: { product: 'tea', amount: 3 } }] },
  { content: 'Three teas are 7.20 euros.' },
]);
const result = await runAgentLoop([{ role: 'user', content: 'What do three teas cost?' }], { model, tools });
for (const message of result.messages) console.log(message.role.padEnd(9), JSON.stringify(message.content));
