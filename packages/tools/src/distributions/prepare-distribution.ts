import { ConfigError } from '@talaria/core';
import { builtinToolsets } from '../builtin-toolsets.ts';
import type { ToolRegistry } from '../tool-registry.ts';
import type { ToolsetDistribution } from './toolset-distribution.ts';
import type { ToolsetDraw } from './toolset-draw.ts';

/** A distribution over the toolsets that can be given here. */
export interface PreparedDistribution {
  readonly name: string;
  /** Percent by the name of the set, in the order of the definition. Never empty. */
  readonly toolsets: Readonly<Record<string, number>>;
  /** Sets of which no tool can be offered here, and why: to be told once, when a run starts. */
  readonly removed: readonly RemovedToolset[];
  /**
   * The toolsets of one row, in the order of the definition. Never empty: where nothing was drawn it is the most frequent
   * one, the first of equals.
   */
  sample(draw: ToolsetDraw): readonly string[];
}

/** A toolset that cannot be given. */
export interface RemovedToolset {
  readonly toolset: string;
  readonly reason: string;
}

/**
 * Takes out what cannot be offered, before anything is sampled.
 *
 * @throws ConfigError `config.unknown-toolset` for a name that is no toolset; `config.distribution-unavailable` where
 * nothing is left
 */
export function prepareDistribution(distribution: ToolsetDistribution, registry: ToolRegistry): PreparedDistribution {
  const availability = registry.checkAvailability();
  const removed: RemovedToolset[] = [];
  const usable: [toolset: string, percent: number][] = [];
  for (const [toolset, percent] of Object.entries(distribution.toolsets)) {
    const checks = toolsOf(toolset, registry).map((name) => ({ name, check: availability.get(name) }));
    if (checks.some(({ check }) => check?.isAvailable)) {
      usable.push([toolset, percent]);
      continue;
    }
    const reasons = checks.flatMap(({ check }) => (check?.isAvailable === false ? [check.reason] : []));
    removed.push({ toolset, reason: reasons.length === 0 ? 'it has no tools here' : [...new Set(reasons)].join('; ') });
  }
  const [mostFrequent] = usable.toSorted(([, left], [, right]) => right - left);
  if (mostFrequent === undefined) throw nothingLeft(distribution.name, removed);
  return {
    name: distribution.name,
    toolsets: Object.fromEntries(usable),
    removed,
    sample(draw) {
      const drawn = usable.filter(([toolset, percent]) => draw(toolset) * 100 < percent).map(([toolset]) => toolset);
      return drawn.length === 0 ? [mostFrequent[0]] : drawn;
    },
  };
}

/** A set that Talaria knows and this registry does not has no tools here. */
function toolsOf(toolset: string, registry: ToolRegistry): readonly string[] {
  const isHere = registry.toolsetNames.includes(toolset);
  if (!isHere && builtinToolsets.some(({ name }) => name === toolset)) return [];
  return registry.resolveToolset(toolset);
}

function nothingLeft(name: string, removed: readonly RemovedToolset[]): ConfigError {
  const reasons = removed.map(({ toolset, reason }) => `${toolset} (${reason})`);
  return new ConfigError(`No toolset of the distribution "${name}" can be offered here: ${reasons.join(', ')}`, {
    code: 'config.distribution-unavailable',
    hint: 'Provide what is missing (talaria tools doctor), or choose another distribution (talaria distributions list).',
  });
}
