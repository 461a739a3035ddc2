import type { Environment, EnvironmentConfig, EvaluatedRollout, RewardContext } from '@talaria/environments';
import { evalItems, referenceTurns, type TerminalTestItem, trainItems } from './tasks.ts';

/** Longest time that reading the file may take: a pipe or a device in its place must not hold up the verifier. */
const readTimeoutMs = 10_000;
const maxFileBytes = 65_536;

/**
 * Creates the environment `terminal-test`: four small files to be written, which shows that model, tools, sandbox and
 * reward work together. Its commands are harmless, and every rollout has a home folder of its own, so it runs on `local`
 * unasked.
 */
export function createTerminalTest(): Environment<TerminalTestItem> {
  return {
    name: 'terminal-test',
    description: 'Four small files to write: shows that model, tools, sandbox and reward work together.',
    isLocalSafe: true,
    configInit: () => ({
      env: {
        enabled_toolsets: ['terminal', 'file'],
        max_agent_turns: 10,
        max_token_length: 2048,
        agent_temperature: 1,
        terminal_backend: 'local',
        group_size: 3,
        total_steps: 3,
        steps_per_eval: 3,
        tool_call_parser: 'hermes',
        ensure_scores_are_not_same: false,
        use_wandb: false,
      },
    }),
    getNextItem: async ({ itemIndex }) => trainItems[itemIndex % trainItems.length] ?? null,
    evalItems,
    formatPrompt: (item) => item.prompt,
    computeReward: scoreFile,
    trainMetrics: measureTraining,
    evaluate: measureEvaluation,
    referenceTurns,
    describeItem: (item) => item.id,
  };
}

/** The environment `terminal-test`. */
export const terminalTest: Environment<TerminalTestItem> = createTerminalTest();

/** 1 where the file holds exactly the expected text, 0.5 where it holds more besides, 0 where it does not or is none. */
async function scoreFile(
  item: TerminalTestItem,
  _result: unknown,
  context: RewardContext<EnvironmentConfig>,
): Promise<number> {
  const sandbox = await context.sandbox();
  const path = await sandbox.resolvePath(item.path);
  const reading = await context.exec(['cat', '--', path], { timeoutMs: readTimeoutMs, maxOutputBytes: maxFileBytes });
  if (reading.exitCode !== 0) return 0;
  const text = reading.stdout.trim();
  if (text === item.expected) return 1;
  return text.includes(item.expected) ? 0.5 : 0;
}

type Scored = EvaluatedRollout<TerminalTestItem>;

/** Where nothing was scored there is no mean, and no share of what was. */
function measureTraining(rollouts: readonly Scored[]): Record<string, number> {
  const rewards = knownRewards(rollouts);
  const total = { 'train/total_rollouts': rollouts.length };
  if (rewards.length === 0) return total;
  return {
    'train/avg_reward': mean(rewards),
    'train/accuracy': shareOf(rewards, 1),
    'train/partial_match_rate': shareOf(rewards, 0.5),
    ...total,
  };
}

/** Beside `eval/mean_reward`, `eval/num_samples` and `eval/n_errors`, which every evaluation has. */
function measureEvaluation(rollouts: readonly Scored[]): Record<string, number> {
  const rewards = knownRewards(rollouts);
  return rewards.length === 0 ? {} : { 'eval/accuracy': shareOf(rewards, 1) };
}

function knownRewards(rollouts: readonly Scored[]): readonly number[] {
  return rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function shareOf(values: readonly number[], wanted: number): number {
  return mean(values.map((value) => (value === wanted ? 1 : 0)));
}
