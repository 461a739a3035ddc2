import { addUsage, assertNever, type Failure } from '@talaria/core';
import type { TurnRecord } from './agent-result.ts';
import { type Conversation, endConversation, unansweredTurn } from './conversation.ts';
import { type Answer, kindOfAnswer } from './read-answer.ts';
import { malformedCallMessage, parseToolErrors, summariseParseErrors } from './tool-error.ts';

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
      return endConversation(counted, 'completed', null, true);
    case 'empty':
      return counted.emptyAnswersInARow < 2 ? counted : endConversation(counted, 'completed', emptyAnswer);
    case 'malformed':
      return acceptMalformed(counted, answer);
    case 'truncated':
      return endConversation(counted, 'truncated', null);
    case 'filtered':
      return endConversation(counted, 'truncated', filteredAnswer);
    default:
      return assertNever(kind);
  }
}

/** The model gave no answer. `failure` is null where the call was interrupted. */
export function acceptModelFailure(conversation: Conversation, failure: Failure | null, modelMs: number): Conversation {
  const failed: Conversation = {
    ...conversation,
    turns: [...conversation.turns, { ...unansweredTurn, turn: conversation.turns.length + 1, modelMs }],
  };
  if (failure === null) return failed;
  return endConversation(failed, failure.code === 'model.context-overflow' ? 'truncated' : 'model_error', failure);
}

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

function acceptMalformed(conversation: Conversation, answer: Answer): Conversation {
  if (conversation.malformedAnswersInARow < 2) {
    return { ...conversation, correction: malformedCallMessage(answer.parseErrors) };
  }
  return endConversation(conversation, 'malformed_call', {
    boundary: 'parse',
    code: 'parse.malformed-call',
    retryable: false,
    message: `The model wrote a broken tool call twice in a row: ${summariseParseErrors(answer.parseErrors)}`,
  });
}
