// A tool of your own, beside the built-in ones: defined, offered to a model, checked, called.
import { runAgentLoop } from '@talaria/agent-loop';
import { scriptedModel } from '@talaria/model-client/testing';
import { createFakeSandbox } from '@talaria/terminal-backends/testing';
import { createBuiltinRegistry, createToolDispatcher, defineTool, toolError } from '@talaria/tools';

const prices: Readonly<Record<string, number>> = { tea: 240, coffee: 310 };

const priceTool = defineTool<{ readonly product: string; readonly amount?: number }>({
  name: 'look_up_price',
  description: 'Price of a product in cents.',
  toolset: 'shop',
  isParallelSafe: true,
  sideEffect: 'none',
  parameters: {
    type: 'object',
    properties: {
      product: { type: 'string', description: 'Name of the product, lower case.' },
      amount: { type: 'integer', minimum: 1, description: 'How many; 1 if left out.' },
    },
    required: ['product'],
  },
  execute({ product, amount = 1 }) {
    const price = prices[product];
    if (price === undefined) return toolError('not_found', `No product ${product}. There are ${Object.keys(prices)}.`);
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
