import { type Failure, type JsonObject, TaskError } from '@talaria/core';
import type { RewardResult } from '../environment.ts';

/** What a rollout is worth. */
export interface ScoredVerdict {
  readonly kind: 'scored';
  readonly reward: number;
  readonly rewardParts: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly info: JsonObject | null;
  readonly isValid: boolean;
  /** Set where a failure was scored all the same. */
  readonly failure: Failure | null;
}

/** What a rollout is worth, or why nobody can say. */
export type RolloutVerdict = ScoredVerdict | { readonly kind: 'failed'; readonly failure: Failure };

/** A scored rollout of reward 0 that keeps its failure. */
export function zeroVerdict(failure: Failure): ScoredVerdict {
  return { kind: 'scored', reward: 0, rewardParts: {}, metrics: {}, info: null, isValid: true, failure };
}

/**
 * Reads what a reward function returned.
 * @throws TaskError `task.bad-reward` for what is no finite number, or has parts that are none
 */
export function readReward(returned: number | RewardResult): ScoredVerdict {
  const result: RewardResult = typeof returned === 'number' ? { reward: returned } : returned;
  if (typeof result !== 'object' || result === null) throw badReward('computeReward', result);
  const { reward, parts = {}, metrics = {}, info = null, isValid = true } = result;
  checkFinite('reward', reward);
  for (const [name, value] of Object.entries(parts)) checkFinite(`parts.${name}`, value);
  for (const [name, value] of Object.entries(metrics)) checkFinite(`metrics.${name}`, value);
  return { kind: 'scored', reward, rewardParts: parts, metrics, info, isValid, failure: null };
}

function checkFinite(name: string, value: unknown): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw badReward(name, value);
}

function badReward(name: string, value: unknown): TaskError {
  return new TaskError(`The reward function gave ${String(value)} for ${name}, which is no finite number`, {
    code: 'task.bad-reward',
    hint: 'Return a finite number, or { reward, parts, metrics } of finite numbers.',
  });
}
