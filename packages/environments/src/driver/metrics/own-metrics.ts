import type { JsonObject } from '@talaria/core';
import type { Rollout } from '@talaria/trajectories';
import type { RunScope } from '../run/run-scope.ts';
import { type Metrics, mean } from './rollout-metrics.ts';

/** Metrics of one kind, by name. */
type NamedMetrics = Readonly<Record<string, number | string>>;

/** Means of what the reward function returned, each over the rollouts that have it: parts, and metrics of its own. */
export function returnedMetrics(rollouts: readonly Rollout[], prefix: 'train' | 'eval'): readonly Metrics[] {
  return [
    meansOf(
      rollouts.map(({ rewardParts }) => rewardParts),
      `${prefix}/reward_part_`,
    ),
    meansOf(
      rollouts.map(({ metrics }) => metrics),
      `${prefix}/`,
    ),
  ];
}

function meansOf(records: readonly Readonly<Record<string, number>>[], prefix: string): Metrics {
  const values = new Map<string, number[]>();
  for (const [name, value] of records.flatMap((record) => Object.entries(record))) {
    const list = values.get(name) ?? [];
    list.push(value);
    values.set(name, list);
  }
  return Object.fromEntries([...values].map(([name, list]) => [`${prefix}${name}`, mean(list) ?? 0]));
}

/** Puts a prefix before names that have none. */
export function withPrefix(metrics: NamedMetrics, prefix: 'train' | 'eval'): NamedMetrics {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [name.includes('/') ? name : `${prefix}/${name}`, value]),
  );
}

/** What {@link withOwnMetrics} makes. */
export interface MergedMetrics {
  readonly all: NamedMetrics;
  /** Those of the environment that were taken. */
  readonly own: NamedMetrics;
}

/**
 * Adds metrics of the environment to the standard ones. One that has the name of another is left out, with a warning: what
 * is compared between runs must mean the same in all of them.
 */
export function withOwnMetrics<Item extends JsonObject, Config>(
  { takenMetrics, logger, environment }: RunScope<Item, Config>,
  standard: NamedMetrics,
  own: readonly NamedMetrics[],
): MergedMetrics {
  const merged = new Map(Object.entries(standard));
  const kept = new Map<string, number | string>();
  for (const [name, value] of own.flatMap((metrics) => Object.entries(metrics))) {
    if (!merged.has(name)) {
      merged.set(name, value);
      kept.set(name, value);
    } else if (!takenMetrics.has(name)) {
      takenMetrics.add(name);
      logger.warn('metrics.name-taken', { environment: environment.name, name });
    }
  }
  return { all: Object.fromEntries(merged), own: Object.fromEntries(kept) };
}
