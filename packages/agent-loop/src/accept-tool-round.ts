import type { ToolCallRecord } from './agent-result.ts';
import { type Conversation, endConversation, unansweredTurn } from './conversation.ts';
import type { ToolCallResult, ToolRound } from './run-tool-calls.ts';
import { toolErrorOf } from './tool-error.ts';

/** The calls of the last answer have their results. */
export function acceptToolRound(conversation: Conversation, round: ToolRound): Conversation {
  const { results, toolsMs, sandboxFailure } = round;
  const turn = conversation.turns.at(-1) ?? unansweredTurn;
  const messages = results.map(({ call, outcome }) => ({
    role: 'tool' as const,
    tool_call_id: call.id,
    content: outcome.content,
  }));
  const errors = results.filter(({ outcome }) => outcome.isError).map((result) => toolErrorOf(turn.turn, result));
  const answered: Conversation = {
    ...conversation,
    messages: [...conversation.messages, ...messages],
    turns: [...conversation.turns.slice(0, -1), { ...turn, toolsMs, toolCalls: results.map(recordOf) }],
    toolErrors: [...conversation.toolErrors, ...errors],
    pendingCalls: [],
  };
  return sandboxFailure === null ? answered : endConversation(answered, 'sandbox_lost', sandboxFailure);
}

function recordOf({ call, outcome, startedAtMs, durationMs }: ToolCallResult): ToolCallRecord {
  const { isError, coercions, storedAt, nestedCalls = [] } = outcome;
  return { id: call.id, name: call.function.name, isError, startedAtMs, durationMs, coercions, storedAt, nestedCalls };
}
