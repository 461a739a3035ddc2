import type { RolloutTurn } from './rollout.ts';

/** How often a tool was called, and how that went. */
export interface ToolCount {
  readonly count: number;
  readonly success: number;
  readonly failure: number;
}

/** Counts by the name of the tool, in the order of the first call. */
export interface ToolStatistics {
  /** Calls of the model, those of tools that it was not offered among them. */
  readonly direct: Readonly<Record<string, ToolCount>>;
  /** Calls that tools made, such as those of scripts. */
  readonly nested: Readonly<Record<string, ToolCount>>;
}

/**
 * Counts the tool calls of a rollout. The one rule: a call failed where the dispatcher said so (`isError`), which is decided
 * when the call is made and stored; nothing is guessed from the text of results. A command that exits with another status
 * than 0 did not fail.
 */
export function countToolCalls(turns: readonly RolloutTurn[]): ToolStatistics {
  const calls = turns.flatMap((turn) => turn.toolCalls);
  return {
    direct: countByName(calls),
    nested: countByName(
      calls.flatMap((call) => call.nestedCalls.map(({ toolName, isError }) => ({ name: toolName, isError }))),
    ),
  };
}

function countByName(
  calls: readonly { readonly name: string; readonly isError: boolean }[],
): Record<string, ToolCount> {
  const counts = new Map<string, ToolCount>();
  for (const { name, isError } of calls) {
    const { count, success, failure } = counts.get(name) ?? { count: 0, success: 0, failure: 0 };
    counts.set(name, {
      count: count + 1,
      success: success + (isError ? 0 : 1),
      failure: failure + (isError ? 1 : 0),
    });
  }
  return Object.fromEntries(counts);
}
