import { type AgentResult, runAgentLoop } from '@talaria/agent-loop';
import {
  type ChatMessage,
  DeadlineExceeded,
  errorMessage,
  type Failure,
  isTalariaError,
  type JsonObject,
  openDeadline,
  raceAbort,
  toFailure,
} from '@talaria/core';
import type { ReasoningOptions } from '@talaria/model-client';
import type { Rollout, SamplingSettings } from '@talaria/trajectories';
import type { EnvironmentConfig } from '../configuration/environment-config.ts';
import type { RolloutIdentity } from './driver-options.ts';
import { openAttempt, type RolloutAttempt } from './rollout-attempt.ts';
import { toRollout } from './rollout-record.ts';
import { type RolloutVerdict, readReward, zeroVerdict } from './rollout-verdict.ts';
import type { RolloutGroup, RunScope } from './run-scope.ts';

/**
 * Runs one attempt at a rollout from its sandbox to its record, and makes the record durable before anybody hears of it.
 * Whatever goes wrong in it is in the record. `null` where the run was stopped: then nothing is left of it.
 * @throws StateError where the record cannot be stored
 */
export async function runRollout<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  group: RolloutGroup,
  identity: RolloutIdentity<Item>,
): Promise<Rollout | null> {
  const rolloutId = scope.createId('rollout');
  scope.tally.changeRunning(1);
  try {
    await scope.turnstile.pass();
    const done = await playRollout(scope, group, identity, rolloutId);
    if (done === null) return null;
    const { rollout, emit } = done;
    await scope.folder.appendRollout(rollout);
    await scope.turnstile.pass();
    scope.tally.countAttempt(rollout);
    const { stopReason, reward, failure, timing } = rollout;
    emit({ type: 'rollout-end', stopReason, reward, failure, durationMs: timing.durationMs });
    return rollout;
  } finally {
    scope.tally.changeRunning(-1);
  }
}

interface PlayedRollout {
  readonly rollout: Rollout;
  readonly emit: RolloutAttempt<JsonObject, unknown>['emit'];
}

async function playRollout<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  group: RolloutGroup,
  identity: RolloutIdentity<Item>,
  rolloutId: string,
): Promise<PlayedRollout | null> {
  const { clock, folder, environment } = scope;
  const startedAt = clock.now();
  const startedAtMs = clock.monotonicMs();
  await using attempt = openAttempt(scope, group, identity, rolloutId);
  const { emit } = attempt;
  emit({ type: 'rollout-start', environment: environment.name, itemKey: identity.itemKey, sample: identity.sample });
  const conversation = await converse(attempt, startedAtMs);
  const rewardStartedAtMs = clock.monotonicMs();
  const verdict = await judge(attempt, conversation, startedAtMs);
  if (verdict === null) {
    const durationMs = clock.monotonicMs() - startedAtMs;
    emit({ type: 'rollout-end', stopReason: 'aborted', reward: null, failure: null, durationMs });
    return null;
  }
  const endedAtMs = clock.monotonicMs();
  const rollout = toRollout({
    rolloutId,
    runId: folder.runId,
    groupId: group.groupId,
    environment: environment.name,
    model: attempt.model.name,
    identity,
    view: group.view,
    result: conversation.kind === 'ended' ? conversation.result : null,
    verdict,
    sampling: samplingOf(scope.config.env),
    startedAt,
    endedAt: clock.now(),
    durationMs: endedAtMs - startedAtMs,
    rewardMs: endedAtMs - rewardStartedAtMs,
    versions: scope.options.versions,
  });
  return { rollout, emit };
}

/** How the part of a rollout that belongs to the model went. */
type ConversationOutcome =
  | { readonly kind: 'ended'; readonly result: AgentResult }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'aborted' };

async function converse<Item extends JsonObject, Config>(
  attempt: RolloutAttempt<Item, Config>,
  startedAtMs: number,
): Promise<ConversationOutcome> {
  const { scope, identity, emit } = attempt;
  const { config, clock, stop, environment } = scope;
  const timeoutMs = rolloutTimeoutMs(config.env);
  let messages: readonly ChatMessage[];
  try {
    using deadline = openDeadline(clock, timeoutMs, stop.workSignal);
    deadline.signal.throwIfAborted();
    const context = attempt.contextFor(deadline.signal);
    await raceAbort(Promise.resolve(environment.prepareSandbox?.(identity.item, context)), deadline.signal);
    messages = openingMessages(attempt);
  } catch (error) {
    if (stop.workSignal.aborted) return { kind: 'aborted' };
    return { kind: 'failed', failure: preparationFailure(error) };
  }
  const result = await runAgentLoop(messages, {
    ...loopOptions(scope),
    model: attempt.model,
    tools: attempt.tools,
    budgets: {
      maxTokens: config.env.rollout_token_budget,
      maxCostUsd: config.env.rollout_cost_budget_usd,
      maxDurationMs: timeoutMs === null ? null : Math.max(1, timeoutMs - (clock.monotonicMs() - startedAtMs)),
    },
    onEvent: emit,
    signal: stop.workSignal,
  });
  return result.stopReason === 'aborted' ? { kind: 'aborted' } : { kind: 'ended', result };
}

function preparationFailure(error: unknown): Failure {
  if (error instanceof DeadlineExceeded) {
    return { boundary: 'timeout', code: 'timeout.preparation', retryable: true, message: error.message };
  }
  return toFailure(error, 'framework');
}

function openingMessages<Item extends JsonObject, Config>({
  scope,
  identity,
}: RolloutAttempt<Item, Config>): readonly ChatMessage[] {
  const { system_prompt: systemPrompt } = scope.config.env;
  const content = scope.environment.formatPrompt(identity.item, scope.context);
  const user: ChatMessage = { role: 'user', content };
  return systemPrompt === null || systemPrompt === '' ? [user] : [{ role: 'system', content: systemPrompt }, user];
}

function loopOptions<Item extends JsonObject, Config>(scope: RunScope<Item, Config>) {
  const { env, tools } = scope.config;
  return {
    parser: scope.parser,
    maxTurns: env.max_agent_turns,
    temperature: env.agent_temperature,
    maxTokens: env.max_token_length,
    extraBody: env.extra_body ?? undefined,
    reasoning: reasoningOf(env),
    contextLimitTokens: env.context_length,
    maxConcurrentCalls: tools.max_concurrent_calls,
    clock: scope.clock,
    logger: scope.logger,
    createId: scope.createId,
  };
}

function reasoningOf(env: EnvironmentConfig): ReasoningOptions | undefined {
  const { thinking_mode: isAsked, reasoning_effort: effort, max_reasoning_tokens: maxTokens } = env;
  if (!isAsked && effort === null && maxTokens === null) return undefined;
  return { effort: effort ?? undefined, maxTokens: maxTokens ?? undefined };
}

function samplingOf(env: EnvironmentConfig): SamplingSettings {
  return { temperature: env.agent_temperature, maxTokens: env.max_token_length, extraBody: env.extra_body };
}

function rolloutTimeoutMs(env: EnvironmentConfig): number | null {
  return env.rollout_timeout === null ? null : env.rollout_timeout * 1000;
}

/** `null`: the run was stopped. */
async function judge<Item extends JsonObject, Config>(
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
  return reward(attempt, result, startedAtMs);
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

async function reward<Item extends JsonObject, Config>(
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
    const returned = await raceAbort(environment.computeReward(identity.item, result, context), deadline.signal);
    return { ...readReward(returned), failure: result.error };
  } catch (error) {
    if (stop.rewardSignal.aborted) return null;
    const failure = rewardFailure(error, deadline.isExpired());
    logger.warn('rollout.reward-failed', {
      rolloutId: attempt.rolloutId,
      code: failure.code,
      message: failure.message,
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
  if (isTalariaError(error)) return toFailure(error, 'grader');
  return { boundary: 'grader', code: 'grader.failed', retryable: false, message: errorMessage(error) };
}
