import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { scriptedModel } from '@talaria/model-client/testing';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createBuiltinRegistry } from '@talaria/tools';
import { defineEnvironment, processEnvironment, resolveRunConfig } from '../src/index.ts';

/** Run by the crash test: a small run in the folder that is its argument, which tells of each rollout as it is reported. */
const [folder = ''] = process.argv.slice(2);

const environment = defineEnvironment({
  name: 'crash',
  items: Array.from({ length: 6 }, (_, number) => ({ number })),
  formatPrompt: ({ number }) => `Write ${number}.`,
  computeReward: async ({ number }, _result, context) =>
    (await context.readText('~/n.txt')).trim() === `${number}` ? 1 : 0,
});
const { config, describe } = resolveRunConfig({
  environment,
  driver: 'process',
  variables: {},
  argv: ['--steps', '6', '--group-size', '2', '--concurrency', '2', '--toolsets', 'terminal'],
  programDefaults: { env: { resume: true } },
});
const backend = createLocalBackend({
  stateFolder: join(folder, 'state'),
  environment: { PATH: process.env['PATH'] },
  killGraceMs: 50,
});
await backend.sweep();
const summary = await processEnvironment(environment, {
  config,
  describedConfig: describe(),
  model: scriptedModel(({ messages }) => {
    const number = /\d+/u.exec(String(messages[0]?.content))?.[0] ?? '';
    if (messages.length > 1) return { content: 'done' };
    return { toolCalls: [{ name: 'terminal', arguments: { command: `echo ${number} > ~/n.txt` } }] };
  }),
  backend,
  registry: createBuiltinRegistry(),
  baseFolder: folder,
  runFolder: join(folder, 'run'),
  versions: { talaria: '0.0.0', node: process.version },
  // Written at once: what stands in the pipe was reported, whatever happens in the next moment.
  onEvent: (event) => {
    if (event.type === 'rollout-end') writeSync(1, `${event.rolloutId}\n`);
  },
});
writeSync(1, `outcome ${summary.outcome} ${summary.groupsAccepted} ${summary.rollouts.length}\n`);
