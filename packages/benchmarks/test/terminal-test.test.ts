import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { seededRandom, silentLogger, systemClock } from '@talaria/core';
import {
  type EnvironmentConfig,
  type EnvironmentContext,
  type EvaluatedRollout,
  type RewardContext,
  resolveRunConfig,
} from '@talaria/environments';
import { scriptedModel } from '@talaria/model-client/testing';
import { createSandboxLease, type SandboxLease } from '@talaria/terminal-backends';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createToolContext } from '@talaria/tool-context';
import { createBuiltinRegistry, createToolDispatcher, type ToolDispatcher } from '@talaria/tools';
import { createTerminalTest, type TerminalTestItem } from '../src/index.ts';
import { evalItems } from '../src/terminal-test/tasks.ts';

const environment = createTerminalTest();
const context: EnvironmentContext<EnvironmentConfig> = {
  config: resolveRunConfig({ environment, driver: 'process', variables: {} }).config.env,
  split: 'train',
  model: scriptedModel([]),
  logger: silentLogger,
  clock: systemClock,
  random: seededRandom,
  signal: new AbortController().signal,
};

let stateFolder: string;
let items: readonly TerminalTestItem[];

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'talaria-benchmarks-'));
  const train = await Promise.all([0, 1, 2].map((itemIndex) => environment.getNextItem?.({ ...context, itemIndex })));
  items = [...train.flatMap((item) => item ?? []), ...evalItems];
});

afterAll(() => rm(stateFolder, { recursive: true }));

interface Rollout {
  readonly lease: SandboxLease;
  readonly tools: ToolDispatcher;
}

/** Lets `act` work in a real sandbox, then scores what it left. */
async function score(item: TerminalTestItem, act: (rollout: Rollout) => Promise<unknown>): Promise<unknown> {
  const backend = createLocalBackend({ stateFolder, environment: process.env });
  await using lease = createSandboxLease((signal) => backend.open({ taskId: item.id }, { signal }));
  await using tools = createToolDispatcher({
    view: createBuiltinRegistry().view({ enabled: ['terminal', 'file'] }),
    sandbox: (signal) => lease.open({ signal }),
    taskId: item.id,
    rolloutId: 'rollout_1',
  });
  await act({ lease, tools });
  const toolContext = createToolContext({ taskId: item.id, lease, tools });
  // Its accessor would be read, not kept, by a spread.
  const reward: RewardContext<EnvironmentConfig> = Object.assign(toolContext, context, { sample: 0 });
  // The reward looks at the sandbox alone, whatever the conversation was.
  return await Reflect.apply(environment.computeReward, environment, [item, {}, reward]);
}

async function runCommand({ lease }: Rollout, command: string): Promise<void> {
  await (await lease.open()).run(command);
}

describe('the reward', () => {
  test.each([
    ['echo 579 > ~/answer.txt', 1],
    ["printf '\\n 579 \\n\\n' > ~/answer.txt", 1],
    ['echo "The sum is 579." > ~/answer.txt', 0.5],
    ['echo 580 > ~/answer.txt', 0],
    [': > ~/answer.txt', 0],
    ['true', 0],
    ['mkdir ~/answer.txt', 0],
    ['ln -s /nowhere ~/answer.txt', 0],
    ['cd /; export HOME=/; alias cat=true; echo 579 > /tmp/../$OLDPWD/answer.txt', 1],
  ])('after %s is %d', async (command, reward) => {
    const answer = items.find(({ id }) => id === 'answer');
    expect(answer).toBeDefined();
    if (answer !== undefined) expect(await score(answer, (rollout) => runCommand(rollout, command))).toBe(reward);
  });
});

describe('the reference solution', () => {
  test.each([
    ['greeting', 0, 1],
    ['greeting', 1, 1],
    ['count', 1, 1],
    ['answer', 0, 1],
    ['answer', 1, 0],
    ['answer', 2, 1],
    ['result', 1, 1],
  ])('of %s, sample %d, earns %d through real tools', async (id, sample, reward) => {
    const item = items.find((candidate) => candidate.id === id);
    if (item === undefined) throw new Error(`No item ${id}`);
    const turns = environment.referenceTurns?.(item, sample) ?? [];
    expect(turns.at(-1)?.toolCalls).toBeUndefined();
    const earned = await score(item, async ({ tools }) => {
      for (const [index, call] of turns.flatMap(({ toolCalls = [] }) => toolCalls).entries()) {
        const outcome = await tools.dispatch({
          id: `call_${index}`,
          type: 'function',
          function: { name: call.name, arguments: JSON.stringify(call.arguments) },
        });
        expect([outcome.content, outcome.isError]).toEqual([expect.any(String), false]);
      }
    });
    expect(earned).toBe(reward);
  });
});

test('train items come in turn and again, the eval item is another', async () => {
  expect(items.map(({ id }) => id)).toEqual(['greeting', 'count', 'answer', 'result']);
  expect(await environment.getNextItem?.({ ...context, itemIndex: 3 })).toBe(items[0]);
  for (const item of items) expect(environment.formatPrompt(item, context)).toContain(item.path);
});

function rollout(reward: number | null): EvaluatedRollout<TerminalTestItem> {
  const [item] = items;
  if (item === undefined) throw new Error('No item');
  return { item, sample: 0, reward, rewardParts: {}, metrics: {}, turnsUsed: 3, stopReason: 'completed' };
}

test('metrics tell shares of what was scored, and count what was not', async () => {
  const rollouts = [rollout(1), rollout(1), rollout(0.5), rollout(0), rollout(null)];
  expect(environment.trainMetrics?.(rollouts, context)).toEqual({
    'train/avg_reward': 0.625,
    'train/accuracy': 0.5,
    'train/partial_match_rate': 0.25,
    'train/total_rollouts': 5,
  });
  expect(await environment.evaluate?.(rollouts, { ...context, split: 'eval' })).toEqual({
    'eval/accuracy': 0.5,
  });
  expect(environment.trainMetrics?.([rollout(null)], context)).toEqual({ 'train/total_rollouts': 1 });
  expect(await environment.evaluate?.([rollout(null)], { ...context, split: 'eval' })).toEqual({});
});

test('the configuration of the README fits, and says what the defaults are', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const yaml = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const request = { environment, driver: 'process', variables: {} } as const;
  const documented = resolveRunConfig({ ...request, yaml: { text: yaml, fileName: 'README.md' } }).config;
  const { config } = resolveRunConfig(request);
  expect(documented.env).toEqual(config.env);
  expect(documented.openai[0]).toMatchObject({ model_name: 'my-model', base_url: 'http://127.0.0.1:8000/v1' });
});
