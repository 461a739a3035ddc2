import type { ToolCall } from '@talaria/core';
import type { AgentResult } from './agent-result.ts';

/**
 * The model's last word: the text of the last message where that is an answer without calls; `null` where the
 * conversation ended otherwise (in the middle of work, or before anything was said).
 */
export function finalResponse(result: AgentResult): string | null {
  const last = result.messages.at(-1);
  if (result.reasoningPerTurn.length === 0 || last?.role !== 'assistant') return null;
  return (last.tool_calls ?? []).length > 0 ? null : (last.content ?? '');
}

/** Every call that the model made, in order; those of the initial messages are left out. */
export function toolCallsOf(result: AgentResult): readonly ToolCall[] {
  const own = new Set(result.turns.flatMap((turn) => turn.toolCalls.map((call) => call.id)));
  return result.messages
    .flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
    .filter((call) => own.has(call.id));
}

/** Names of the tools that the model called, each once, in the order of their first call. */
export function toolNamesOf(result: AgentResult): readonly string[] {
  return [...new Set(result.turns.flatMap((turn) => turn.toolCalls.map((call) => call.name)))];
}
