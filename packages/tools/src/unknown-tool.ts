import { nearestName } from '@talaria/core';
import type { ToolRunResult } from './run-tool.ts';
import { failedRun } from './run-tool.ts';
import type { ToolView } from './tool-view.ts';

/** Most names that an answer about an unknown tool lists. */
const maxNamesListed = 40;

/** The answer to a call of a tool that is not offered. */
export function unknownTool(name: string, view: ToolView): ToolRunResult {
  if (name === 'clarify') {
    return failedRun('not_available', 'Nobody can be asked here. Choose a sensible default and go on.');
  }
  const names = [...view.names];
  const listed = names.slice(0, maxNamesListed).join(', ');
  const rest = names.length > maxNamesListed ? `, and ${names.length - maxNamesListed} more` : '';
  const nearest = nearestName(name, names) ?? halfOf(name, view);
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return failedRun('unknown_tool', `Unknown tool: ${name.slice(0, 100)}. Available: ${listed}${rest}.${suggestion}`);
}

/** Broken streams write a name twice: `terminalterminal`. */
function halfOf(name: string, view: ToolView): string | undefined {
  const half = name.slice(0, name.length / 2);
  return half + half === name && view.names.has(half) ? half : undefined;
}
