import type { JsonObject } from '@talaria/core';
import type { Rollout } from '@talaria/trajectories';
import type { Environment, EvaluatedRollout } from '../../environment.ts';
import type { RolloutSummary } from './rollout-summary.ts';

/** Characters of a hash that stand for an item without a name. */
const hashChars = 10;

/** A rollout in a few numbers. */
export function summariseRollout<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  item: Item,
  rollout: Rollout,
  isResumed: boolean,
): RolloutSummary {
  return {
    rolloutId: rollout.rolloutId,
    itemKey: rollout.itemKey,
    label: labelOf(environment, item, rollout.itemKey),
    groupIndex: rollout.groupIndex,
    sample: rollout.sample,
    attempt: rollout.attempt,
    reward: rollout.reward,
    rewardParts: rollout.rewardParts,
    isValid: !rollout.isMasked,
    turnsUsed: rollout.turnsUsed,
    toolCalls: rollout.turns.reduce((sum, turn) => sum + turn.toolCalls.length, 0),
    toolErrors: rollout.toolErrors.length,
    stopReason: rollout.stopReason,
    failure: rollout.failure,
    usage: rollout.usage,
    costUsd: rollout.costUsd,
    durationMs: rollout.timing.durationMs,
    isResumed,
  };
}

/** A short name of an item: what the environment calls it, its `id` or `name`, else the start of its hash. */
function labelOf<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  item: Item,
  itemKey: string,
): string {
  const described = describeItem(environment, item);
  if (described !== undefined) return described;
  for (const name of [item['id'], item['name']]) {
    if (typeof name === 'string' || typeof name === 'number') return String(name);
  }
  return itemKey.slice(0, hashChars);
}

/** A name that cannot be made is not worth the end of a run. */
function describeItem<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  item: Item,
): string | undefined {
  try {
    const described: unknown = environment.describeItem?.(item);
    return typeof described === 'string' ? described : undefined;
  } catch {
    return undefined;
  }
}

/** A rollout as the environment's metrics see it. */
export function toEvaluatedRollout<Item extends JsonObject>(item: Item, rollout: Rollout): EvaluatedRollout<Item> {
  const { sample, reward, rewardParts, metrics, turnsUsed, stopReason } = rollout;
  return { item, sample, reward, rewardParts, metrics, turnsUsed, stopReason };
}
