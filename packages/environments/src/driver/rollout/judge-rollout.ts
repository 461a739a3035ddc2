import type { AgentResult } from '@talaria/agent-loop';
import {
  errorMessage,
  type Failure,
  isTalariaError,
  type JsonObject,
  openDeadline,
  raceAbort,
  toFailure,
} from '@talaria/core';
import { isFileFault } from '@talaria/tool-context';
import { errorStack } from '../run/error-stack.ts';
import { type ConversationOutcome, rolloutTimeoutMs } from './hold-conversation.ts';
import type { RolloutAttempt } from './rollout-attempt.ts';
import { type RolloutVerdict, readReward, zeroVerdict } from './rollout-verdict.ts';

/** Finds out what a rollout is worth, or why nobody can say; `null` where the run was stopped. */
export async function judgeRollout<Item extends JsonObject, Config>(
  attempt: RolloutAttempt<Item, Config>,
  conversation: ConversationOutcome,
  startedAtMs: number,
): Promise<RolloutVerdict | null> {
  const { env } = attempt.scope.config;
  if (conversation.kind === 'aborted') return null;
  if (conversation.kind === 'failed') return conversation;
  const { result } = conversation;
  const isLost = result.stopReason === 'sandbox_lost';
  const isDropped = result.stopReason === 'model_error' && (env.on_api_error === 'drop' || isSilent(result));
  if (isLost || isDropped) return { kind: 'failed', failure: result.error ?? unexplained(result) };
  return computeReward(attempt, result, startedAtMs);
}

/** Nothing that the model did could be scored. */
function isSilent(result: AgentResult): boolean {
  return result.messages.every((message) => message.role === 'system' || message.role === 'user');
}

function unexplained(result: AgentResult): Failure {
  const boundary = result.stopReason === 'sandbox_lost' ? 'sandbox' : 'model';
  return {
    boundary,
    code: `${boundary}.unexpected`,
    retryable: true,
    message: `The conversation ended by ${result.stopReason}`,
  };
}

/** A verifier gets at least this long, however much of the rollout's time the model used up. */
const minRewardTimeMs = 60_000;

async function computeReward<Item extends JsonObject, Config>(
  attempt: RolloutAttempt<Item, Config>,
  result: AgentResult,
  startedAtMs: number,
): Promise<RolloutVerdict | null> {
  const { scope, identity } = attempt;
  const { clock, stop, environment, config, logger } = scope;
  const timeoutMs = rolloutTimeoutMs(config.env);
  const leftMs = timeoutMs === null ? null : timeoutMs - (clock.monotonicMs() - startedAtMs);
  using deadline = openDeadline(clock, leftMs === null ? null : Math.max(minRewardTimeMs, leftMs), stop.rewardSignal);
  const context = attempt.contextFor(deadline.signal);
  try {
    deadline.signal.throwIfAborted();
    // A reward function that does not hear the signal must not hold up the run; its sandbox is closed under it.
    const reward = Promise.resolve(environment.computeReward(identity.item, result, context));
    const returned = await raceAbort(reward, deadline.signal);
    return { ...readReward(returned), failure: result.error };
  } catch (error) {
    if (stop.rewardSignal.aborted) return null;
    const failure = rewardFailure(error, deadline.isExpired());
    logger.warn('rollout.reward-failed', {
      rolloutId: attempt.rolloutId,
      code: failure.code,
      message: failure.message,
      stack: errorStack(error),
    });
    const isOwnFault = failure.boundary === 'grader' || failure.boundary === 'timeout';
    return isOwnFault && config.env.on_reward_error === 'zero' ? zeroVerdict(failure) : { kind: 'failed', failure };
  } finally {
    await context.cleanup();
  }
}

function rewardFailure(error: unknown, isExpired: boolean): Failure {
  if (isExpired) {
    return { boundary: 'timeout', code: 'timeout.reward', retryable: true, message: errorMessage(error) };
  }
  // What the model left, or did not leave: the sandbox is well, and another attempt would find the same.
  if (isTalariaError(error) && isFileFault(error)) {
    return { boundary: 'grader', code: error.code, retryable: false, message: error.message };
  }
  if (isTalariaError(error)) return toFailure(error, 'grader');
  return { boundary: 'grader', code: 'grader.failed', retryable: false, message: errorMessage(error) };
}
