import { redactSecrets, type Secret } from '@talaria/core';
import type { Tool, ToolAvailability, ToolRegistry } from '@talaria/tools';
import { exitCodes } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { oneLine, printable } from '../one-line.ts';
import { paintFor } from '../paint.ts';
import { renderTable } from '../render-table.ts';
import { findToolset, nameOf } from './find-tools.ts';
import type { OpenedTools } from './open-tools.ts';
import type { ToolsRequest } from './read-tools-arguments.ts';
import { describeFault, type ToolFault } from './tool-fault.ts';

/** A tool and whether it can be offered here. */
interface CheckedTool {
  readonly tool: Tool;
  readonly availability: ToolAvailability;
}

/**
 * `talaria tools list` and `talaria tools doctor`. The exit code of `doctor` is 1 where something cannot be offered that is
 * configured, or a tool that was asked for by its own name; any other is only told.
 */
export function reportTools(host: Host, opened: OpenedTools, request: ToolsRequest): number {
  const { registry, configuredTools } = opened;
  const { action, names, isJson } = request;
  const { tools, faults } = withoutSecrets(choose(opened, names), opened.secrets);
  const isFault = ({ tool, availability }: CheckedTool): boolean =>
    !availability.isAvailable && (configuredTools.has(nameOf(tool)) || names.includes(nameOf(tool)));
  const isFailed = action === 'doctor' && (faults.length > 0 || tools.some(isFault));
  const exitCode = isFailed ? exitCodes.failed : exitCodes.done;
  if (isJson) host.stdout.write(`${JSON.stringify(encodeTools(registry, { tools, faults }, exitCode))}\n`);
  else host.stdout.write(action === 'list' ? renderList(host, registry, tools) : renderDoctor(host, tools, faults));
  return exitCode;
}

interface DescribedFault extends Pick<ToolFault, 'kind' | 'name'> {
  readonly reason: string;
}

/** What a report is about. */
interface Chosen {
  readonly tools: readonly CheckedTool[];
  readonly faults: readonly DescribedFault[];
}

/** All, or what is named. A name that nobody knows may belong to a package that could not be loaded. */
function choose({ registry, faults }: OpenedTools, names: readonly string[]): Chosen {
  const availability = registry.checkAvailability();
  const broken = new Set<ToolFault>(names.length === 0 || names.some(isEverything) ? faults : []);
  const chosen = new Set<Tool>(names.length === 0 ? registry.tools : []);
  const packages = faults.filter(({ kind }) => kind === 'package');
  for (const name of names) {
    const server = faults.find((fault) => fault.kind === 'server' && fault.name === name);
    try {
      for (const tool of findToolset(registry, name)) chosen.add(tool);
    } catch (error) {
      if (server === undefined && packages.length === 0) throw error;
      for (const fault of server === undefined ? packages : []) broken.add(fault);
    }
    if (server !== undefined) broken.add(server);
  }
  return {
    tools: registry.tools
      .filter((tool) => chosen.has(tool))
      .map((tool) => ({ tool, availability: availability.get(nameOf(tool)) ?? { isAvailable: true } })),
    faults: [...broken].map(({ kind, name, error }) => ({ kind, name, reason: describeFault(error) })),
  };
}

/** What a server wrote before it ended may hold a key that it was given. */
function withoutSecrets({ tools, faults }: Chosen, secrets: readonly Secret[]): Chosen {
  const clean = (text: string): string => printable(redactSecrets(text, [...secrets])).replaceAll(/\s*\n\s*/g, ' ');
  return {
    tools: tools.map(({ tool, availability }) => ({
      tool,
      availability: availability.isAvailable
        ? availability
        : { isAvailable: false, reason: clean(availability.reason) },
    })),
    faults: faults.map((fault) => ({ ...fault, reason: clean(fault.reason) })),
  };
}

function isEverything(name: string): boolean {
  return name === 'all' || name === '*';
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

function renderDoctor(host: Host, tools: readonly CheckedTool[], faults: readonly DescribedFault[]): string {
  const { good, bad } = paintFor(host, host.stdout);
  const missing = (name: string, reason: string): string => `${bad('missing')}  ${name}: ${reason}`;
  const lines = [
    ...tools.map(({ tool, availability }) =>
      availability.isAvailable ? `${good('ok')}       ${nameOf(tool)}` : missing(nameOf(tool), availability.reason),
    ),
    ...faults.map(({ kind, name, reason }) => missing(`${titles[kind]} ${name}`, reason)),
  ];
  return `${lines.join('\n')}\n`;
}

const titles: Readonly<Record<ToolFault['kind'], string>> = {
  tools: 'toolset',
  server: 'MCP server',
  package: 'package',
};

function encodeTools(registry: ToolRegistry, { tools, faults }: Chosen, exitCode: number): unknown {
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
    faults,
    toolsets: Object.fromEntries(registry.toolsetNames.map((name) => [name, registry.resolveToolset(name)])),
  };
}

function firstSentence(text: string): string {
  return oneLine(/^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text);
}
