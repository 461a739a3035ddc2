import { type ChatMessage, type Failure, noUsage, type StopReason, type Usage } from '@talaria/core';
import type { AgentResult, ToolError, TurnRecord } from './agent-result.ts';
import type { AnsweredCall } from './read-answer.ts';

/** How a conversation ends. */
export interface Ending {
  readonly stopReason: StopReason;
  readonly finishedNaturally: boolean;
  readonly error: Failure | null;
}

/** Everything that a conversation is, between two steps. Never changed: each step makes a new one. */
export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly turns: readonly TurnRecord[];
  readonly reasoningPerTurn: readonly (string | null)[];
  readonly toolErrors: readonly ToolError[];
  readonly usage: Usage;
  readonly costUsd: number | null;
  /** Sum of the prices that are known. */
  readonly knownCostUsd: number;
  /** Calls of the last answer that have no result yet. */
  readonly pendingCalls: readonly AnsweredCall[];
  /** What the model has to be told before it is asked again. */
  readonly correction: string | null;
  readonly emptyAnswersInARow: number;
  readonly malformedAnswersInARow: number;
  /** The newest prompt whose size the provider told, and how many messages it and its answer were. */
  readonly measured: { readonly tokens: number; readonly messageCount: number } | null;
  readonly ending: Ending | null;
}

/** A conversation in which nothing was asked yet. */
export function beginConversation(messages: readonly ChatMessage[]): Conversation {
  return {
    messages: [...messages],
    turns: [],
    reasoningPerTurn: [],
    toolErrors: [],
    usage: noUsage,
    costUsd: 0,
    knownCostUsd: 0,
    pendingCalls: [],
    correction: null,
    emptyAnswersInARow: 0,
    malformedAnswersInARow: 0,
    measured: null,
    ending: null,
  };
}

/** Adds what the model has to be told, if anything, before the next question. */
export function applyCorrection(conversation: Conversation): Conversation {
  const { correction, messages } = conversation;
  if (correction === null) return conversation;
  return { ...conversation, correction: null, messages: [...messages, { role: 'user', content: correction }] };
}

/** What became of it. */
export function toAgentResult(conversation: Conversation, ending: Ending): AgentResult {
  const { messages, turns, reasoningPerTurn, toolErrors, usage, costUsd } = conversation;
  return {
    messages,
    turnsUsed: turns.length,
    finishedNaturally: ending.finishedNaturally,
    stopReason: ending.stopReason,
    error: ending.error,
    reasoningPerTurn,
    toolErrors,
    usage,
    costUsd,
    turns,
    managedState: null,
  };
}

/** A turn of which nothing is known yet. */
export const unansweredTurn: TurnRecord = {
  turn: 0,
  modelMs: 0,
  toolsMs: 0,
  finishReason: null,
  usage: null,
  costUsd: null,
  toolCalls: [],
  rawText: null,
  parseErrors: [],
};

/** The conversation is over; the calls of its last answer may still have to be answered. */
export function endConversation(
  conversation: Conversation,
  stopReason: StopReason,
  error: Failure | null,
  finishedNaturally = false,
): Conversation {
  return { ...conversation, ending: { stopReason, finishedNaturally, error } };
}
