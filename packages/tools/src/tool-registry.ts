import { TaskError } from '@talaria/core';
import { type ArgumentChecker, createArgumentChecker, createSchemaCompiler } from './argument-check.ts';
import { toolsetAliases } from './builtin-toolsets.ts';
import { selectTools } from './select-tools.ts';
import type { Tool, ToolAvailability } from './tool.ts';
import { availabilityOf } from './tool-availability.ts';
import type { ToolSelection, ToolView } from './tool-view.ts';
import type { Toolset } from './toolset.ts';
import { createToolsetResolver } from './toolset-resolver.ts';

/** What {@link createToolRegistry} takes. */
export interface ToolRegistryOptions {
  readonly tools: readonly Tool[];
  /** @default none: each tool's own `toolset` is a set all the same */
  readonly toolsets?: readonly Toolset[] | undefined;
  /** Let a later tool or set replace an earlier one of the same name, rather than fail. @default false */
  readonly override?: boolean | undefined;
}

/** Tools and sets of tools, as a value. */
export interface ToolRegistry {
  /** Every tool, sorted by name, offered or not. */
  readonly tools: readonly Tool[];
  /** Every name of a set, sorted. */
  readonly toolsetNames: readonly string[];
  /** Names of a set's tools, sorted; tools that are not in the registry are left out. @throws ConfigError `config.unknown-toolset` */
  resolveToolset(name: string): readonly string[];
  /** A registry with more tools, and the same sets; one of the same name takes the place of the one that is here. */
  extend(tools: readonly Tool[]): ToolRegistry;
  /** Why each tool can or cannot be offered here. */
  checkAvailability(): ReadonlyMap<string, ToolAvailability>;
  /**
   * The tools of one rollout, or of many.
   *
   * @throws ConfigError `config.unknown-toolset`, `config.toolset-unavailable`, `config.no-tools`
   */
  view(selection?: ToolSelection): ToolView;
}

/** Creates a registry. @throws TaskError `task.duplicate-tool` where two tools or two sets share a name */
export function createToolRegistry(options: ToolRegistryOptions): ToolRegistry {
  const { override = false } = options;
  const tools = indexByName('tool', options.tools, toolName, override);
  const toolsets = indexByName('toolset', options.toolsets ?? [], (toolset) => toolset.name, override);
  const sorted = [...tools.values()].sort((left, right) => compareNames(toolName(left), toolName(right)));
  const resolver = createToolsetResolver(sorted, toolsets, toolsetAliases);
  const compile = createSchemaCompiler();
  const checkers = new WeakMap<Tool, ArgumentChecker>();

  function checkerOf(tool: Tool): ArgumentChecker {
    const known = checkers.get(tool);
    if (known !== undefined) return known;
    const checker = createArgumentChecker(tool, compile);
    checkers.set(tool, checker);
    return checker;
  }

  return {
    tools: sorted,
    toolsetNames: resolver.names,
    resolveToolset: (name) => [...resolver.resolve(name)].filter((tool) => tools.has(tool)).sort(compareNames),
    extend: (more) => createToolRegistry({ ...options, tools: [...options.tools, ...more], override: true }),
    checkAvailability: () => new Map(sorted.map((tool) => [toolName(tool), availabilityOf(tool)])),
    view(selection = {}) {
      const { chosen, warnings } = selectTools(tools, resolver, selection);
      return createView(chosen, warnings, checkerOf);
    },
  };
}

function createView(
  chosen: readonly Tool[],
  warnings: readonly string[],
  checkerOf: (tool: Tool) => ArgumentChecker,
): ToolView {
  const tools = new Map(chosen.map((tool) => [toolName(tool), tool]));
  const names: ReadonlySet<string> = new Set(tools.keys());
  return {
    definitions: chosen.map((tool) => {
      const { describe, definition } = tool;
      if (describe === undefined) return definition;
      return { ...definition, function: { ...definition.function, description: describe(names) } };
    }),
    names,
    warnings,
    get: (name) => tools.get(name),
    checkArguments: (tool, args, isLenient) => checkerOf(tool)(args, isLenient),
  };
}

function indexByName<Entry>(
  kind: string,
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
  override: boolean,
): Map<string, Entry> {
  const index = new Map<string, Entry>();
  for (const entry of entries) {
    const name = nameOf(entry);
    if (index.has(name) && !override) {
      throw new TaskError(`Two ${kind}s are named "${name}"`, {
        code: 'task.duplicate-tool',
        hint: 'Rename one of them, or pass override: true to let the later one win.',
      });
    }
    index.set(name, entry);
  }
  return index;
}

function toolName(tool: Tool): string {
  return tool.definition.function.name;
}

/** Order of code units: the same on every machine, so that prompts are. */
function compareNames(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
