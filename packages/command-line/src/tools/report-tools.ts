import { ConfigError } from '@talaria/core';
import type { Tool, ToolAvailability, ToolRegistry } from '@talaria/tools';
import { exitCodes } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../one-line.ts';
import { paintFor } from '../paint.ts';
import { renderTable } from '../render-table.ts';
import type { OpenedTools } from './open-tools.ts';
import type { ToolsRequest } from './read-tools-arguments.ts';

/** A tool and whether it can be offered here. */
interface CheckedTool {
  readonly tool: Tool;
  readonly availability: ToolAvailability;
}

/**
 * `talaria tools list` and `talaria tools doctor`. The exit code of `doctor` is 1 where something that is configured cannot
 * be offered; a tool that nobody configured is no failure.
 */
export function reportTools(host: Host, opened: OpenedTools, request: ToolsRequest): number {
  const { registry, configuredToolsets } = opened;
  const tools = chooseTools(registry, request.names);
  const isFailed =
    request.action === 'doctor' &&
    tools.some(({ tool, availability }) => !availability.isAvailable && configuredToolsets.has(tool.toolset));
  const exitCode = isFailed ? exitCodes.failed : exitCodes.done;
  if (request.isJson) host.stdout.write(`${JSON.stringify(encodeTools(registry, tools, exitCode))}\n`);
  else host.stdout.write(request.action === 'list' ? renderList(host, registry, tools) : renderDoctor(host, tools));
  return exitCode;
}

function chooseTools(registry: ToolRegistry, names: readonly string[]): readonly CheckedTool[] {
  const availability = registry.checkAvailability();
  const chosen = new Set(names.flatMap((name) => registry.resolveToolset(name)));
  return registry.tools
    .filter((tool) => names.length === 0 || chosen.has(nameOf(tool)))
    .map((tool) => ({ tool, availability: availability.get(nameOf(tool)) ?? { isAvailable: true } }));
}

function renderList(host: Host, registry: ToolRegistry, tools: readonly CheckedTool[]): string {
  const { faint } = paintFor(host, host.stdout);
  const rows = tools.map(({ tool, availability }) => [
    nameOf(tool),
    tool.toolset,
    availability.isAvailable ? 'yes' : 'no',
    firstSentence(tool.definition.function.description ?? ''),
  ]);
  const sets = registry.toolsetNames
    .filter((name) => !name.startsWith('hermes-'))
    .map((name) => [name, registry.resolveToolset(name).join(', ') || '-']);
  return `${renderTable(['tool', 'toolset', 'here', 'what it does'], rows, faint)}
${renderTable(['toolset', 'tools'], sets, faint)}
The names of Hermes Agent (hermes-cli, hermes-telegram, …) are toolsets too.
talaria tools show NAME says what the model is told; talaria tools doctor, why a tool is not here.
`;
}

function renderDoctor(host: Host, tools: readonly CheckedTool[]): string {
  const { good, bad } = paintFor(host, host.stdout);
  const lines = tools.map(({ tool, availability }) =>
    availability.isAvailable
      ? `${good('ok')}       ${nameOf(tool)}`
      : `${bad('missing')}  ${nameOf(tool)}: ${oneLine(availability.reason)}`,
  );
  return `${lines.join('\n')}\n`;
}

function encodeTools(registry: ToolRegistry, tools: readonly CheckedTool[], exitCode: number): unknown {
  return {
    reason: exitCode === exitCodes.done ? 'done' : 'failed',
    exit_code: exitCode,
    tools: tools.map(({ tool, availability }) => ({
      name: nameOf(tool),
      toolset: tool.toolset,
      description: tool.definition.function.description ?? '',
      parallel_safe: tool.isParallelSafe,
      side_effect: tool.sideEffect,
      available: availability.isAvailable,
      reason: availability.isAvailable ? null : availability.reason,
    })),
    toolsets: Object.fromEntries(registry.toolsetNames.map((name) => [name, registry.resolveToolset(name)])),
  };
}

function firstSentence(text: string): string {
  return oneLine(/^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text);
}

/** The name that the model calls a tool by. */
export function nameOf(tool: Tool): string {
  return tool.definition.function.name;
}

/** Neither a tool nor a set has this name. */
export function unknownName(name: string, nearest: string | undefined): ConfigError {
  return new ConfigError(`There is no tool and no toolset named ${JSON.stringify(name)}`, {
    code: 'config.unknown-tool',
    hint: nearest === undefined ? 'talaria tools list names all.' : `Did you mean ${nearest}?`,
  });
}
