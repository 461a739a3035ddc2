import { type AgentResult, runAgentLoop } from '@talaria/agent-loop';
import {
  type ChatMessage,
  DeadlineExceeded,
  type Failure,
  type JsonObject,
  openDeadline,
  raceAbort,
  toFailure,
} from '@talaria/core';
import type { ReasoningOptions } from '@talaria/model-client';
import type { EnvironmentConfig } from '../configuration/environment-config.ts';
import type { RolloutAttempt } from './rollout-attempt.ts';
import type { RunScope } from './run-scope.ts';

/** How the part of a rollout that belongs to the model went. */
export type ConversationOutcome =
  | { readonly kind: 'ended'; readonly result: AgentResult }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'aborted' };

/** Prepares the sandbox and lets the model work. Whatever goes wrong is an outcome. */
export async function holdConversation<Item extends JsonObject, Config>(
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

/** Wall clock that a rollout has; `null`: no limit. */
export function rolloutTimeoutMs(env: EnvironmentConfig): number | null {
  return env.rollout_timeout === null ? null : env.rollout_timeout * 1000;
}
