import { isJsonObject } from '@talaria/core';
import type { Tool } from '@talaria/tools';
import { exitCodes } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { paintFor } from '../paint.ts';
import { findTools, nameOf } from './find-tools.ts';
import type { OpenedTools } from './open-tools.ts';
import type { ToolsRequest } from './read-tools-arguments.ts';

/** `talaria tools show NAME…`: what the model is told of tools, or of all tools of a set. */
export function showTools(host: Host, { registry }: OpenedTools, { names, isJson }: ToolsRequest): number {
  const tools = [...new Set(names.flatMap((name) => findTools(registry, name)))];
  // Descriptions name what else is offered.
  const view = registry.view({ enabled: [], extraTools: registry.tools, allowNoTools: true });
  const told = tools.map((tool) => ({
    tool,
    definition: view.definitions.find((entry) => entry.function.name === nameOf(tool)) ?? tool.definition,
  }));
  if (isJson) {
    const definitions = told.map(({ definition }) => definition);
    host.stdout.write(`${JSON.stringify({ reason: 'done', exit_code: exitCodes.done, tools: definitions })}\n`);
    return exitCodes.done;
  }
  const { faint } = paintFor(host, host.stdout);
  host.stdout.write(told.map(({ tool, definition }) => renderTool({ ...tool, definition }, faint)).join('\n'));
  return exitCodes.done;
}

function renderTool(tool: Tool, faint: (text: string) => string): string {
  const { description = '', parameters = {} } = tool.definition.function;
  const properties = isJsonObject(parameters['properties']) ? parameters['properties'] : {};
  const required = Array.isArray(parameters['required']) ? parameters['required'] : [];
  const lines = Object.entries(properties).map(([name, schema]) => {
    const { type = 'any', description: what = '', ...rest } = isJsonObject(schema) ? schema : {};
    const limits = Object.entries(rest).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    const facts = [String(type), required.includes(name) ? 'required' : 'optional', ...limits].join(', ');
    return `  ${name} ${faint(`(${facts})`)}\n      ${String(what)}`;
  });
  const kind = `toolset ${tool.toolset}, ${tool.isParallelSafe ? 'parallel-safe' : 'one at a time'}, changes: ${tool.sideEffect}`;
  return `${nameOf(tool)} ${faint(`(${kind})`)}\n\n${description}\n\n${lines.join('\n')}${lines.length === 0 ? '  no arguments' : ''}\n`;
}
