import { defineTool, type Tool } from '@talaria/tools';
import { z } from 'zod';

const rollDice = defineTool({
  name: 'roll_dice',
  description: 'Roll dice. The same seed gives the same dice.',
  toolset: 'dice',
  isParallelSafe: true,
  sideEffect: 'none',
  parameters: z.object({
    count: z.int().min(1).max(20).default(1).describe('How many dice'),
    sides: z.int().min(2).max(100).default(6).describe('Sides of each'),
    seed: z.int().min(1).describe('Any number'),
  }),
  execute({ count, sides, seed }) {
    const dice: number[] = [];
    // The generator of Park and Miller: small, and the same everywhere.
    for (let state = seed % 2_147_483_647; dice.length < count; state = (state * 48_271) % 2_147_483_647) {
      dice.push(1 + (state % sides));
    }
    return { dice, total: dice.reduce((sum, die) => sum + die, 0) };
  },
});

/** What `tools.packages` of the configuration looks for. */
export const tools: readonly Tool[] = [rollDice];
