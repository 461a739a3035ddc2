import type { Rollout } from '@talaria/trajectories';
import { passAtK } from '../../pass-at-k.ts';
import { type Metrics, mean, rolloutMetrics } from '../metrics/rollout-metrics.ts';

/** What an evaluation found, in numbers. */
export interface EvaluationMetrics {
  readonly metrics: Metrics;
  readonly samples: number;
  /** Items whose every sample is scored. */
  readonly itemsScored: number;
  /** Samples that could not be scored. */
  readonly errors: number;
}

/** The reward from which on a sample counts as passed. */
const passingReward = 1;

/** Whether a sample passed; `undefined` where it was not scored. */
export function hasPassed({ reward }: Pick<Rollout, 'reward'>): boolean | undefined {
  return reward === null ? undefined : reward >= passingReward;
}

/**
 * Measures an evaluation. A sample that could not be scored counts as 0 in the headline, `eval/mean_reward` and
 * `eval/pass_rate`, and is left out of the same names with `_scored`; how many they are is `eval/n_errors`. Where nothing was scored, all four
 * are absent: nobody knows what they would be.
 */
export function evaluationMetrics(rollouts: readonly Rollout[], samplesPerItem: number): EvaluationMetrics {
  const rewards = rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const items = groupByItem(rollouts);
  const scored = items.filter((list) => list.every((rollout) => rollout.reward !== null)).length;
  const errors = rollouts.length - rewards.length;
  const metrics: Metrics = {
    'eval/n_items': items.length,
    'eval/num_samples': rollouts.length,
    'eval/n_errors': errors,
    ...scoreMetrics(rewards, rollouts.length),
    ...passRates(items, samplesPerItem),
    ...rolloutMetrics(rollouts, 'eval'),
  };
  return { metrics, samples: rollouts.length, itemsScored: scored, errors };
}

function scoreMetrics(rewards: readonly number[], sampleCount: number): Metrics {
  if (rewards.length === 0) return {};
  const total = rewards.reduce((sum, reward) => sum + reward, 0);
  const passed = rewards.filter((reward) => reward >= passingReward).length;
  return {
    'eval/mean_reward': total / sampleCount,
    'eval/mean_reward_scored': total / rewards.length,
    'eval/pass_rate': passed / sampleCount,
    'eval/pass_rate_scored': passed / rewards.length,
  };
}

/** pass@1 to pass@k over items of which all samples were scored. */
function passRates(items: readonly (readonly Rollout[])[], samplesPerItem: number): Metrics {
  if (samplesPerItem === 1) return {};
  const whole = items
    .map((list) => list.flatMap(({ reward }) => (reward === null ? [] : [reward])))
    .filter((rewards) => rewards.length === samplesPerItem);
  const metrics: Metrics = {};
  for (let k = 1; k <= samplesPerItem; k += 1) {
    const rate = mean(
      whole.map((rewards) => passAtK(samplesPerItem, rewards.filter((reward) => reward >= passingReward).length, k)),
    );
    if (rate !== undefined) metrics[`eval/pass@${k}`] = rate;
  }
  return metrics;
}

function groupByItem(rollouts: readonly Rollout[]): readonly (readonly Rollout[])[] {
  const items = new Map<string, Rollout[]>();
  for (const rollout of rollouts) {
    const list = items.get(rollout.itemKey) ?? [];
    list.push(rollout);
    items.set(rollout.itemKey, list);
  }
  return [...items.values()];
}
