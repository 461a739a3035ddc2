import { ConfigError } from '@talaria/core';
import type { Tool } from './tool.ts';
import { availabilityOf } from './tool-availability.ts';
import type { ToolSelection } from './tool-view.ts';
import type { ToolsetResolver } from './toolset-resolver.ts';

/** Sets that reach beyond the sandbox and are part of the default all the same, since they work only when configured. */
const webToolsets: ReadonlySet<string> = new Set(['web', 'search', 'browser']);
/** Sets that act across sessions or talk to people: only on request. */
const requestedOnly: ReadonlySet<string> = new Set([
  'memory',
  'session_search',
  'skills',
  'clarify',
  'messaging',
  'cronjob',
  'rl',
]);

/** What a selection comes to. */
export interface SelectedTools {
  /** Sorted by name. */
  readonly chosen: readonly Tool[];
  readonly warnings: readonly string[];
}

/** Decides which tools are offered: (asked for) − (disabled) − (not available). */
export function selectTools(
  tools: ReadonlyMap<string, Tool>,
  resolver: ToolsetResolver,
  selection: ToolSelection,
): SelectedTools {
  const { enabled = null, disabled = [], extraTools = [], allowMissingTools = false } = selection;
  const warnings: string[] = [];
  const chosen = new Map<string, Tool>();
  if (enabled === null) addDefaults(tools, chosen, warnings);
  for (const toolset of enabled ?? []) {
    addToolset(toolset, resolver.resolve(toolset), { tools, chosen, warnings, allowMissingTools });
  }
  removeDisabled(disabled, resolver, chosen, enabled === null ? [] : warnings);
  for (const tool of extraTools) chosen.set(tool.definition.function.name, tool);
  if (chosen.size === 0 && enabled?.length !== 0 && selection.allowNoTools !== true) {
    throw new ConfigError(`No tool is left of ${enabled === null ? 'the default tools' : enabled.join(', ')}`, {
      code: 'config.no-tools',
      hint: 'Enable a toolset that has tools here, disable fewer, or allow a rollout without tools.',
    });
  }
  const names = [...chosen.keys()].sort();
  return { chosen: names.flatMap((name) => chosen.get(name) ?? []), warnings };
}

/** A set of which nothing can be offered was not asked for, and is nothing to be warned of; a part that is missing is. */
function addDefaults(tools: ReadonlyMap<string, Tool>, chosen: Map<string, Tool>, warnings: string[]): void {
  const missing: { readonly tool: Tool; readonly name: string; readonly reason: string }[] = [];
  for (const [name, tool] of tools) {
    const isContained = tool.sideEffect === 'none' || tool.sideEffect === 'sandbox';
    if (requestedOnly.has(tool.toolset) || (!isContained && !webToolsets.has(tool.toolset))) continue;
    const availability = availabilityOf(tool);
    if (availability.isAvailable) chosen.set(name, tool);
    else missing.push({ tool, name, reason: availability.reason });
  }
  const offered = new Set([...chosen.values()].map((tool) => tool.toolset));
  for (const { tool, name, reason } of missing) {
    if (offered.has(tool.toolset)) warnings.push(`tool "${name}" is not offered: ${reason}`);
  }
}

function addToolset(
  toolset: string,
  names: ReadonlySet<string>,
  context: {
    readonly tools: ReadonlyMap<string, Tool>;
    readonly chosen: Map<string, Tool>;
    readonly warnings: string[];
    readonly allowMissingTools: boolean;
  },
): void {
  const { tools, chosen, warnings } = context;
  const known = [...names].flatMap((name) => tools.get(name) ?? []);
  if (known.length === 0) {
    warnings.push(`toolset "${toolset}" has no tools yet: ${[...names].sort().join(', ')}`);
    return;
  }
  const reasons: string[] = [];
  let availableCount = 0;
  for (const tool of known) {
    const { name } = tool.definition.function;
    const availability = availabilityOf(tool);
    if (availability.isAvailable) {
      chosen.set(name, tool);
      availableCount += 1;
    } else reasons.push(`${name}: ${availability.reason}`);
  }
  if (availableCount === 0 && !context.allowMissingTools) {
    throw new ConfigError(`Toolset "${toolset}" cannot be offered here: ${reasons.join('; ')}`, {
      code: 'config.toolset-unavailable',
      hint: 'Provide what is missing, leave the toolset out, or allow missing tools.',
    });
  }
  for (const reason of reasons) warnings.push(`tool is not offered: ${reason}`);
}

function removeDisabled(
  disabled: readonly string[],
  resolver: ToolsetResolver,
  chosen: Map<string, Tool>,
  warnings: string[],
): void {
  for (const toolset of disabled) {
    const removed = [...resolver.resolve(toolset)].filter((name) => chosen.delete(name));
    if (removed.length > 0) warnings.push(`disabled toolset "${toolset}" takes away ${removed.sort().join(', ')}`);
  }
}
