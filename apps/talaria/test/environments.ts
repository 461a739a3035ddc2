import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * Environments as users write them, in folders that know no packages: plain objects need none.
 */

/** Twelve quick tasks, each a command that writes a file. */
export function writeStepsEnvironment(folder: string): Promise<string> {
  return write(
    folder,
    'steps.ts',
    `
export const environment = {
  name: 'steps',
  isLocalSafe: true,
  configInit: () => ({
    env: { enabled_toolsets: ['terminal'], group_size: 2, total_steps: 12, process_concurrency: 3 },
  }),
  getNextItem: async ({ itemIndex }: { itemIndex: number }) => ({ id: 'step-' + itemIndex }),
  formatPrompt: ({ id }: { id: string }) => 'Write ' + id + ' to ~/step.txt',
  computeReward: async ({ id }: { id: string }, _result: unknown, { terminal }: { terminal: (command: string) => Promise<{ output: string }> }) =>
    (await terminal('cat ~/step.txt')).output.trim() === id ? 1 : 0,
  referenceTurns: ({ id }: { id: string }) => [
    { toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 0.05; echo ' + id + ' > ~/step.txt' } }] },
    { content: 'Written.' },
  ],
};
`,
  );
}

/** One task whose command, or whose reward, never ends by itself. */
export function writeEndlessEnvironment(folder: string, what: 'command' | 'reward'): Promise<string> {
  return write(
    folder,
    `endless-${what}.mjs`,
    `
export default class Endless {
  name = 'endless';
  isLocalSafe = true;
  configInit() {
    return { env: { enabled_toolsets: ['terminal'], group_size: 2, total_steps: 1, terminal_timeout: 600 } };
  }
  async getNextItem() { return { id: 'endless' }; }
  formatPrompt() { return 'Wait.'; }
  async computeReward(_item, _result, { terminal }) {
    ${what === 'reward' ? 'await terminal(\'echo reward-began >> "$TEST_MARKS"; trap "" TERM; sleep 500\');' : ''}
    return 1;
  }
  referenceTurns() {
    return [
      ${what === 'command' ? `{ toolCalls: [{ name: 'terminal', arguments: { command: '(trap "" TERM; setsid sleep 500) & echo command-began >> "$TEST_MARKS"; sleep 500' } }] },` : ''}
      { content: 'Done.' },
    ];
  }
}
`,
  );
}

/** Its reward function leaves a promise behind that rejects, while commands run. */
export function writeCarelessEnvironment(folder: string): Promise<string> {
  return write(
    folder,
    'careless.mjs',
    `
export const environment = () => ({
  name: 'careless',
  isLocalSafe: true,
  configInit: () => ({ env: { enabled_toolsets: ['terminal'], group_size: 2, total_steps: 1 } }),
  getNextItem: async () => ({ id: 'careless' }),
  formatPrompt: () => 'Wait.',
  async computeReward(_item, _result, { terminal }) {
    setTimeout(() => Promise.reject(new Error('nobody waits for this')), 100);
    await terminal('sleep 500');
    return 1;
  },
  referenceTurns: () => [{ content: 'Done.' }],
});
`,
  );
}

async function write(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text.trimStart());
  return path;
}
