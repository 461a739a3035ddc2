import {
  addUsage,
  type ChatMessage,
  type Failure,
  noUsage,
  type StopReason,
  type ToolCall,
  type Usage,
} from '@talaria/core';
import type { ToolCallOutcome } from '@talaria/tools';
import type { AgentResult, ToolCallRecord, ToolError, TurnRecord } from './agent-result.ts';
import { type Answer, type AnsweredCall, kindOfAnswer } from './read-answer.ts';
import { malformedCallMessage, parseToolErrors, toolErrorOf } from './tool-error.ts';

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
  /** Ids of every call so far. */
  readonly usedIds: ReadonlySet<string>;
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

/** One tool call, done. */
export interface ToolCallResult {
  readonly call: ToolCall;
  readonly outcome: ToolCallOutcome;
  /** Milliseconds since the loop began. */
  readonly startedAtMs: number;
  readonly durationMs: number;
}

/** The calls of one turn, done. */
export interface ToolRound {
  /** In the order of the calls. */
  readonly results: readonly ToolCallResult[];
  readonly toolsMs: number;
  /** Set where the sandbox went away. */
  readonly sandboxFailure: Failure | null;
}

/** A conversation in which nothing was asked yet. */
export function beginConversation(messages: readonly ChatMessage[]): Conversation {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []));
  return {
    messages: [...messages],
    turns: [],
    reasoningPerTurn: [],
    toolErrors: [],
    usage: noUsage,
    costUsd: 0,
    knownCostUsd: 0,
    usedIds: new Set(calls.map((call) => call.id)),
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

/** The model answered. */
export function acceptAnswer(conversation: Conversation, answer: Answer, modelMs: number): Conversation {
  const kind = kindOfAnswer(answer);
  const recorded = recordAnswer(conversation, answer, modelMs);
  const counted = {
    ...recorded,
    emptyAnswersInARow: kind === 'empty' ? conversation.emptyAnswersInARow + 1 : 0,
    malformedAnswersInARow: kind === 'malformed' ? conversation.malformedAnswersInARow + 1 : 0,
  };
  switch (kind) {
    case 'calls':
      return counted;
    case 'final':
      return end(counted, 'completed', null, true);
    case 'empty':
      return counted.emptyAnswersInARow < 2 ? counted : end(counted, 'completed', emptyAnswer);
    case 'malformed':
      return acceptMalformed(counted, answer);
    case 'truncated':
      return end(counted, 'truncated', null);
    case 'filtered':
      return end(counted, 'truncated', filteredAnswer);
  }
}

/** The model gave no answer. `failure` is null where the call was interrupted. */
export function acceptModelFailure(conversation: Conversation, failure: Failure | null, modelMs: number): Conversation {
  const failed: Conversation = {
    ...conversation,
    turns: [...conversation.turns, { ...unansweredTurn, turn: conversation.turns.length + 1, modelMs }],
  };
  if (failure === null) return failed;
  return end(failed, failure.code === 'model.context-overflow' ? 'truncated' : 'model_error', failure);
}

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
  return sandboxFailure === null ? answered : end(answered, 'sandbox_lost', sandboxFailure);
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

const unansweredTurn: TurnRecord = {
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

const emptyAnswer: Failure = {
  boundary: 'model',
  code: 'model.empty-answer',
  retryable: false,
  message: 'The model answered nothing, and nothing again when it was asked once more',
};

const filteredAnswer: Failure = {
  boundary: 'model',
  code: 'model.content-filter',
  retryable: false,
  message: "The provider's content filter cut the answer",
};

function recordAnswer(conversation: Conversation, answer: Answer, modelMs: number): Conversation {
  const { completion, calls, message } = answer;
  const { usage, costUsd } = completion;
  const isKept = kindOfAnswer(answer) !== 'empty';
  const messages = isKept ? [...conversation.messages, message] : conversation.messages;
  const turn: TurnRecord = {
    ...unansweredTurn,
    turn: conversation.turns.length + 1,
    modelMs,
    finishReason: completion.finishReason === 'unknown' ? completion.rawFinishReason : completion.finishReason,
    usage,
    costUsd,
    rawText: answer.rawText,
    parseErrors: answer.parseErrors.map((error) => error.message),
  };
  return {
    ...conversation,
    messages,
    turns: [...conversation.turns, turn],
    reasoningPerTurn: [...conversation.reasoningPerTurn, message.reasoning_content ?? null],
    toolErrors: [...conversation.toolErrors, ...parseToolErrors(turn.turn, answer)],
    usage: usage === null ? conversation.usage : addUsage(conversation.usage, usage),
    costUsd: costUsd === null || conversation.costUsd === null ? null : conversation.costUsd + costUsd,
    knownCostUsd: conversation.knownCostUsd + (costUsd ?? 0),
    usedIds: calls.length === 0 ? conversation.usedIds : withIds(conversation.usedIds, calls),
    pendingCalls: calls,
    measured:
      usage === null
        ? conversation.measured
        : {
            tokens: usage.prompt_tokens + (isKept ? usage.completion_tokens : 0),
            messageCount: messages.length,
          },
  };
}

function withIds(usedIds: ReadonlySet<string>, calls: readonly AnsweredCall[]): ReadonlySet<string> {
  return new Set([...usedIds, ...calls.map(({ call }) => call.id)]);
}

function acceptMalformed(conversation: Conversation, answer: Answer): Conversation {
  if (conversation.malformedAnswersInARow < 2) {
    return { ...conversation, correction: malformedCallMessage(answer.parseErrors) };
  }
  return end(conversation, 'malformed_call', {
    boundary: 'parse',
    code: 'parse.malformed-call',
    retryable: false,
    message: `The model wrote a broken tool call twice in a row: ${answer.parseErrors.map((error) => error.message).join('; ')}`,
  });
}

function end(
  conversation: Conversation,
  stopReason: StopReason,
  error: Failure | null,
  finishedNaturally = false,
): Conversation {
  return { ...conversation, ending: { stopReason, finishedNaturally, error } };
}

function recordOf({ call, outcome, startedAtMs, durationMs }: ToolCallResult): ToolCallRecord {
  const { isError, coercions, storedAt } = outcome;
  return { id: call.id, name: call.function.name, isError, startedAtMs, durationMs, coercions, storedAt };
}
