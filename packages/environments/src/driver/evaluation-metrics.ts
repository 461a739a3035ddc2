import type { Rollout } from '@talaria/trajectories';
import { passAtK } from '../pass-at-k.ts';
import { type Metrics, mean, rolloutMetrics } from './rollout-metrics.ts';

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

/**
 * Measures an evaluation. A sample that could not be scored counts as 0 in the headline, `eval/mean_reward` and
 * `eval/pass_rate`, and is left out of the same names with `_scored`; how many they are is `eval/n_errors`.
 */
export function evaluationMetrics(rollouts: readonly Rollout[], samplesPerItem: number): EvaluationMetrics {
  const rewards = rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const items = groupByItem(rollouts);
  const scored = items.filter((list) => list.every((rollout) => rollout.reward !== null)).length;
  const errors = rollouts.length - rewards.length;
  const passed = rewards.filter((reward) => reward >= passingReward).length;
  const metrics: Metrics = {
    'eval/n_items': items.length,
    'eval/num_samples': rollouts.length,
    'eval/n_errors': errors,
    'eval/mean_reward': share(sum(rewards), rollouts.length),
    'eval/mean_reward_scored': mean(rewards) ?? 0,
    'eval/pass_rate': share(passed, rollouts.length),
    'eval/pass_rate_scored': share(passed, rewards.length),
    ...passRates(items, samplesPerItem),
    ...rolloutMetrics(rollouts, 'eval'),
  };
  return { metrics, samples: rollouts.length, itemsScored: scored, errors };
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
