import { describe, expect, test } from '@jest/globals';
import type { ConversationLimits } from './agent-loop-options.ts';
import { beginConversation, type Conversation } from './conversation.ts';
import { nextStep } from './next-step.ts';

const limits: ConversationLimits = {
  maxTurns: 30,
  maxTotalTokens: Number.POSITIVE_INFINITY,
  maxCostUsd: Number.POSITIVE_INFINITY,
  maxDurationMs: 1_000,
  contextLimitTokens: Number.POSITIVE_INFINITY,
  maxAnswerTokens: undefined,
};
const begun = beginConversation([{ role: 'user', content: 'Work.' }]);
const pendingCalls: Conversation['pendingCalls'] = [
  {
    call: { id: 'a', type: 'function', function: { name: 'work', arguments: '{}' } },
    isComplete: true,
    isFromText: false,
  },
];
const ending = { stopReason: 'completed', finishedNaturally: true, error: null } as const;
const calm = { elapsedMs: 0, isAborted: false };

describe('the next step', () => {
  test('is to ask at first', () => {
    expect(nextStep(begun, limits, calm)).toEqual({ kind: 'ask-model', turn: 1, maxTokens: undefined });
  });

  test('is to answer the pending calls, whatever else happened', () => {
    const step = nextStep({ ...begun, pendingCalls, ending }, limits, { elapsedMs: 2_000, isAborted: true });
    expect(step).toEqual({ kind: 'run-tools', turn: 0, calls: pendingCalls });
  });

  test('is the ending that the conversation has, even where the time is over', () => {
    expect(nextStep({ ...begun, ending }, limits, { elapsedMs: 2_000, isAborted: true })).toEqual({
      kind: 'stop',
      ending,
    });
  });

  test.each([
    ['aborted', { elapsedMs: 2_000, isAborted: true }],
    ['budget_time', { elapsedMs: 1_000, isAborted: false }],
  ])('is to stop: %s', (stopReason, progress) => {
    expect(nextStep(begun, limits, progress)).toMatchObject({
      kind: 'stop',
      ending: { stopReason, finishedNaturally: false, error: null },
    });
  });
});
