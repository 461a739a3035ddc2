import { ConfigError, nearestName } from '@talaria/core';
import type { Tool } from './tool.ts';
import type { Toolset } from './toolset.ts';

/** Names that stand for every tool. */
const everything: ReadonlySet<string> = new Set(['all', '*']);

/** Finds the tools of a set. */
export interface ToolsetResolver {
  /**
   * Names of the set's tools, those of included sets among them; cycles are harmless. Names of tools that are not in the
   * registry are given too. @throws ConfigError `config.unknown-toolset`
   */
  resolve(name: string): ReadonlySet<string>;
  /** Every name that can be given, sorted. */
  readonly names: readonly string[];
}

/** Creates a resolver over sets and over the sets that the tools themselves name. */
export function createToolsetResolver(
  tools: Iterable<Tool>,
  toolsets: ReadonlyMap<string, Toolset>,
  aliases: ReadonlyMap<string, string>,
): ToolsetResolver {
  const homes = new Map<string, string[]>();
  for (const tool of tools) {
    const names = homes.get(tool.toolset) ?? [];
    homes.set(tool.toolset, [...names, tool.definition.function.name]);
  }
  const allTools = new Set([...homes.values()].flat());
  const names = [...new Set([...toolsets.keys(), ...homes.keys()])].sort();

  function collect(name: string, seen: Set<string>, into: Set<string>): void {
    if (seen.has(name)) return;
    seen.add(name);
    const toolset = toolsets.get(name);
    const home = homes.get(name);
    if (toolset === undefined && home === undefined) throw unknownToolset(name, names);
    for (const tool of toolset?.tools ?? []) into.add(tool);
    for (const tool of home ?? []) into.add(tool);
    for (const included of toolset?.includes ?? []) collect(aliases.get(included) ?? included, seen, into);
  }

  return {
    names,
    resolve(name) {
      if (everything.has(name)) return allTools;
      const found = new Set<string>();
      collect(aliases.get(name) ?? name, new Set(), found);
      return found;
    },
  };
}

function unknownToolset(name: string, names: readonly string[]): ConfigError {
  const nearest = nearestName(name, names, 3);
  return new ConfigError(`Unknown toolset "${name}". Valid names: all, ${names.join(', ')}`, {
    code: 'config.unknown-toolset',
    hint: nearest === undefined ? 'Use one of the valid names.' : `Did you mean "${nearest}"?`,
  });
}
