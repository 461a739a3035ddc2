import { errorMessage, type JsonObject } from '@talaria/core';
import type { Rollout } from '@talaria/trajectories';
import type { RunScope } from '../run/run-scope.ts';

/** Metrics by name. */
export type Metrics = Record<string, number>;

/** The mean; `undefined` where there is nothing. */
export function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** What can be told of any rollouts, of training or evaluation: rewards, turns, tools, tokens, failures. */
export function rolloutMetrics(rollouts: readonly Rollout[], prefix: 'train' | 'eval'): Metrics {
  const rewards = rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const calls = rollouts.flatMap((rollout) => rollout.turns.flatMap((turn) => turn.toolCalls));
  const metrics: Metrics = {
    ...rewardMetrics(rewards, prefix),
    ...meanMetric(
      `${prefix}/turns_mean`,
      rollouts.map((rollout) => rollout.turnsUsed),
    ),
    ...meanMetric(
      `${prefix}/tool_calls_mean`,
      rollouts.map((rollout) => rollout.turns.reduce((sum, turn) => sum + turn.toolCalls.length, 0)),
    ),
    [`${prefix}/tool_errors_count`]: rollouts.reduce((sum, rollout) => sum + rollout.toolErrors.length, 0),
    ...meanMetric(
      `${prefix}/tool_error_rate`,
      calls.map((call) => (call.isError ? 1 : 0)),
    ),
    [`${prefix}/tool_results_persisted`]: calls.filter((call) => call.storedAt !== null).length,
    [`${prefix}/reward_errors`]: countFailures(rollouts, ['grader', 'timeout']),
    [`${prefix}/api_errors`]: countFailures(rollouts, ['model']),
    [`${prefix}/sandbox_errors`]: countFailures(rollouts, ['sandbox']),
    'tokens/prompt': rollouts.reduce((sum, rollout) => sum + rollout.usage.prompt_tokens, 0),
    'tokens/completion': rollouts.reduce((sum, rollout) => sum + rollout.usage.completion_tokens, 0),
  };
  for (const [reason, count] of countBy(rollouts.map((rollout) => rollout.stopReason))) {
    metrics[`${prefix}/stop_reason_${reason}`] = count / rollouts.length;
  }
  for (const [name, count] of countBy(calls.map((call) => call.name))) metrics[`${prefix}/tool_${name}_count`] = count;
  return metrics;
}

/** Absent where there is nothing to take the mean of. */
function meanMetric(name: string, values: readonly number[]): Metrics {
  const average = mean(values);
  return average === undefined ? {} : { [name]: average };
}

function rewardMetrics(rewards: readonly number[], prefix: string): Metrics {
  const average = mean(rewards);
  if (average === undefined) return {};
  const variance = mean(rewards.map((reward) => (reward - average) ** 2)) ?? 0;
  return {
    [`${prefix}/reward_mean`]: average,
    [`${prefix}/reward_std`]: Math.sqrt(variance),
    [`${prefix}/reward_min`]: rewards.reduce((least, reward) => Math.min(least, reward)),
    [`${prefix}/reward_max`]: rewards.reduce((most, reward) => Math.max(most, reward)),
  };
}

function countFailures(rollouts: readonly Rollout[], boundaries: readonly string[]): number {
  return rollouts.filter(({ failure }) => failure !== null && boundaries.includes(failure.boundary)).length;
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** How many sandboxes there are and were. */
export function sandboxMetrics<Item extends JsonObject, Config>({ sandboxes }: RunScope<Item, Config>): Metrics {
  return {
    'sandbox/active': sandboxes.activeCount,
    'sandbox/created': sandboxes.createdCount,
    'sandbox/create_s': sandboxes.meanCreateMs / 1000,
  };
}

/** Hands metrics to every sink; what a sink throws is no fault of the run. */
export function logMetrics<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  step: number,
  metrics: Readonly<Record<string, number | string>>,
): void {
  const { options, clock, split, logger } = scope;
  for (const sink of options.sinks ?? []) {
    try {
      sink.log({ step, at: clock.now(), split, metrics });
    } catch (error) {
      logger.warn('metrics.sink-failed', { sink: sink.name, message: errorMessage(error) });
    }
  }
}
