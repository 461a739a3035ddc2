// An environment of your own: sums to work out in a shell. It runs as it is (`node my-environment.ts`), and by the
// umbrella program: `talaria run ./my-environment.ts --group-size 4`, `talaria eval ./my-environment.ts --env.max_number 99`.
import { isMainModule, runEnvironmentCli } from '@talaria/command-line';
import { defineEnvironment, environmentConfigSchema } from '@talaria/environments';
import { z } from 'zod';

type Sum = { readonly left: number; readonly right: number };

export const environment = defineEnvironment({
  name: 'sums',
  description: 'Sums to work out in a shell.',
  isLocalSafe: true,
  configSchema: environmentConfigSchema.extend({
    max_number: z.int().min(1).default(1000).describe('Largest number to add.'),
  }),
  configInit: () => ({ env: { enabled_toolsets: ['terminal'], group_size: 2, total_steps: 2, seed: 1 } }),

  async getNextItem({ config, itemIndex, random }): Promise<Sum> {
    const draw = random(`item-${itemIndex}`);
    const pick = (): number => 1 + Math.floor(draw() * config.max_number);
    return { left: pick(), right: pick() };
  },
  evalItems: [{ left: 20, right: 22 }],
  describeItem: ({ left, right }) => `${left} + ${right}`,
  formatPrompt: ({ left, right }) => `Add ${left} and ${right} in the shell, and write the sum to ~/sum.txt.`,

  async computeReward({ left, right }, result, { terminal }) {
    const { output, exitCode } = await terminal('cat ~/sum.txt');
    const isRight = exitCode === 0 && output.trim() === String(left + right);
    return { reward: isRight ? 1 : 0, metrics: { turns: result.turnsUsed } };
  },

  // What the scripted model plays where no real one is named: handy for tests of the environment itself.
  referenceTurns: ({ left, right }) => [
    { toolCalls: [{ name: 'terminal', arguments: { command: `echo $((${left} + ${right})) > ~/sum.txt` } }] },
    { content: 'The sum is written.' },
  ],
});

if (isMainModule(import.meta.url)) await runEnvironmentCli(environment);
