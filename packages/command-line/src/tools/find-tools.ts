import { ConfigError, nearestName, systemErrorCode } from '@talaria/core';
import type { Tool, ToolRegistry } from '@talaria/tools';

/** The tool of a name, or the tools of a set. @throws ConfigError `config.unknown-tool` with the nearest name */
export function findTools(registry: ToolRegistry, name: string): readonly Tool[] {
  return findTool(registry, name) ?? findMembers(registry, name);
}

/** The tools of a set, or the tool of a name: `terminal` is both. @throws ConfigError `config.unknown-tool` */
export function findToolset(registry: ToolRegistry, name: string): readonly Tool[] {
  const isToolset = ['all', '*', ...registry.toolsetNames].includes(name);
  return (isToolset ? undefined : findTool(registry, name)) ?? findMembers(registry, name);
}

function findTool(registry: ToolRegistry, name: string): readonly Tool[] | undefined {
  const tool = registry.tools.find((candidate) => nameOf(candidate) === name);
  return tool === undefined ? undefined : [tool];
}

function findMembers(registry: ToolRegistry, name: string): readonly Tool[] {
  const members = new Set(membersOf(registry, name));
  return registry.tools.filter((tool) => members.has(nameOf(tool)));
}

function membersOf(registry: ToolRegistry, name: string): readonly string[] {
  try {
    return registry.resolveToolset(name);
  } catch (error) {
    if (systemErrorCode(error) !== 'config.unknown-toolset') throw error;
    const nearest = nearestName(name, [...registry.tools.map(nameOf), ...registry.toolsetNames], 3);
    throw new ConfigError(`There is no tool and no toolset named ${JSON.stringify(name)}`, {
      code: 'config.unknown-tool',
      hint: nearest === undefined ? 'talaria tools list names all.' : `Did you mean ${nearest}?`,
      cause: error,
    });
  }
}

/** The name that the model calls a tool by. */
export function nameOf(tool: Tool): string {
  return tool.definition.function.name;
}
