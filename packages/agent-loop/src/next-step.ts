import type { ChatMessage, Failure, StopReason } from '@talaria/core';
import type { ConversationLimits } from './agent-loop-options.ts';
import type { Conversation, Ending } from './conversation.ts';
import type { AnsweredCall } from './read-answer.ts';

/** Ask the model. */
export interface AskModelStep {
  readonly kind: 'ask-model';
  /** 1-based. */
  readonly turn: number;
  readonly maxTokens: number | undefined;
}

/** Run the calls of the last answer. */
export interface RunToolsStep {
  readonly kind: 'run-tools';
  readonly turn: number;
  readonly calls: readonly AnsweredCall[];
}

/** What to do next. */
export type Step = AskModelStep | RunToolsStep | { readonly kind: 'stop'; readonly ending: Ending };

/** What the world says between two steps. */
export interface Progress {
  readonly elapsedMs: number;
  /** The caller wants no more. */
  readonly isAborted: boolean;
}

/**
 * Decides the next step. Calls without a result come first, whatever else happened: every call in the history has to
 * have its answer, be it that it was not run.
 */
export function nextStep(conversation: Conversation, limits: ConversationLimits, progress: Progress): Step {
  const { pendingCalls, ending, turns } = conversation;
  if (pendingCalls.length > 0) return { kind: 'run-tools', turn: turns.length, calls: pendingCalls };
  if (ending !== null) return { kind: 'stop', ending };
  const limit = reachedLimit(conversation, limits, progress);
  if (limit !== null) {
    const error = limit === 'truncated' ? contextFull : null;
    return { kind: 'stop', ending: { stopReason: limit, finishedNaturally: false, error } };
  }
  return { kind: 'ask-model', turn: turns.length + 1, maxTokens: answerTokens(conversation, limits) };
}

const contextFull: Failure = {
  boundary: 'model',
  code: 'model.context-overflow',
  retryable: false,
  message: 'The conversation fills the context of the model',
};

function reachedLimit(conversation: Conversation, limits: ConversationLimits, progress: Progress): StopReason | null {
  if (progress.isAborted) return 'aborted';
  if (progress.elapsedMs >= limits.maxDurationMs) return 'budget_time';
  if (conversation.turns.length >= limits.maxTurns) return 'max_turns';
  if (conversation.usage.total_tokens >= limits.maxTotalTokens) return 'budget_tokens';
  if (conversation.knownCostUsd >= limits.maxCostUsd) return 'budget_cost';
  // Before the provider named a size there is only an estimate: let the provider judge.
  if (conversation.measured !== null && contextLeft(conversation, limits) <= 0) return 'truncated';
  return null;
}

/** Most tokens of the next answer. Left to the provider where the caller leaves it: it knows exactly what still fits. */
function answerTokens(conversation: Conversation, limits: ConversationLimits): number | undefined {
  const { maxAnswerTokens } = limits;
  if (maxAnswerTokens === undefined) return undefined;
  const left = contextLeft(conversation, limits);
  return left > 0 ? Math.min(maxAnswerTokens, left) : maxAnswerTokens;
}

function contextLeft(conversation: Conversation, limits: ConversationLimits): number {
  if (limits.contextLimitTokens === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  const { messages, measured } = conversation;
  const added = messages.slice(measured?.messageCount ?? 0);
  const estimate = added.reduce((sum, message) => sum + estimateTokens(message), measured?.tokens ?? 0);
  return limits.contextLimitTokens - estimate;
}

/** UTF-8 bytes for one token: on the safe side for English and code, about right for Chinese. */
const bytesPerToken = 3;
/** Role names and separators that a chat template puts around a message. */
const tokensPerMessage = 8;

function estimateTokens(message: ChatMessage): number {
  return tokensPerMessage + Math.ceil(Buffer.byteLength(JSON.stringify(message.content)) / bytesPerToken);
}
