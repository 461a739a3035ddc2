import { inspect } from 'node:util';
import { type Failure, isJsonObject, type JsonObject, TaskError } from '@talaria/core';
import type { RewardResult } from '../../environment.ts';
import { describeUnstorable } from '../output/plain-data.ts';

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
 * @throws TaskError `task.bad-reward` for what is no finite number, has parts that are none, or an info that
 * cannot be stored
 */
export function readReward(returned: number | RewardResult): ScoredVerdict {
  const result: RewardResult = typeof returned === 'number' ? { reward: returned } : returned;
  if (typeof result !== 'object' || result === null) throw badReward('computeReward', result);
  const { reward, parts = {}, metrics = {}, info = null, isValid = true } = result;
  checkFinite('reward', reward);
  checkNumbers('parts', parts);
  checkNumbers('metrics', metrics);
  checkInfo(info);
  return { kind: 'scored', reward, rewardParts: parts, metrics, info, isValid, failure: null };
}

function checkNumbers(name: string, numbers: unknown): void {
  if (!isJsonObject(numbers)) throw badReward(name, numbers);
  for (const [key, value] of Object.entries(numbers)) checkFinite(`${name}.${key}`, value);
}

function checkInfo(info: unknown): void {
  if (info === null) return;
  const fault = isJsonObject(info) ? describeUnstorable(info) : `it is ${show(info)}`;
  if (fault === null) return;
  throw new TaskError(`The reward function gave ${show(info)} for info, which cannot be stored: ${fault}`, {
    code: 'task.bad-reward',
    hint: 'Return an info of plain data.',
  });
}

function checkFinite(name: string, value: unknown): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw badReward(name, value);
}

function badReward(name: string, value: unknown): TaskError {
  return new TaskError(`The reward function gave ${show(value)} for ${name}`, {
    code: 'task.bad-reward',
    hint: 'Return a finite number, or { reward, parts, metrics } of finite numbers.',
  });
}

function show(value: unknown): string {
  return inspect(value, { depth: 0, maxStringLength: 60, breakLength: Number.POSITIVE_INFINITY });
}
