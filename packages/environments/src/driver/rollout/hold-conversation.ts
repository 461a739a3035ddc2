import { type AgentResult, runAgentLoop } from '@talaria/agent-loop';
import {
  type ChatMessage,
  type ContentPart,
  DeadlineExceeded,
  type Failure,
  isJsonObject,
  type JsonObject,
  openDeadline,
  TaskError,
  toFailure,
} from '@talaria/core';
import type { ReasoningOptions } from '@talaria/model-client';
import type { EnvironmentConfig } from '../../configuration/environment-config.ts';
import { callEnvironment, environmentFailure } from '../run/call-environment.ts';
import { errorStack } from '../run/error-stack.ts';
import type { RunScope } from '../run/run-scope.ts';
import type { RolloutAttempt } from './rollout-attempt.ts';

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
    await callEnvironment<void>({
      environmentName: environment.name,
      method: 'prepareSandbox',
      call: () => environment.prepareSandbox?.(identity.item, context),
      signal: deadline.signal,
    });
    messages = openingMessages(attempt);
  } catch (error) {
    if (stop.workSignal.aborted) return { kind: 'aborted' };
    const failure = preparationFailure(error);
    scope.logger.warn('rollout.preparation-failed', {
      rolloutId: attempt.rolloutId,
      code: failure.code,
      message: failure.message,
      stack: errorStack(error),
    });
    return { kind: 'failed', failure };
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
  const user: ChatMessage = { role: 'user', content: readPrompt(scope, identity.item) };
  return systemPrompt === null || systemPrompt === '' ? [user] : [{ role: 'system', content: systemPrompt }, user];
}

/** @throws TaskError `task.environment-failed`, `task.bad-prompt` */
function readPrompt<Item extends JsonObject, Config>(
  { environment, context }: RunScope<Item, Config>,
  item: Item,
): string | readonly ContentPart[] {
  let content: unknown;
  try {
    content = environment.formatPrompt(item, context);
  } catch (error) {
    throw environmentFailure(environment.name, 'formatPrompt', error);
  }
  if (typeof content === 'string' || isPartList(content)) return content;
  const shown = content === undefined ? 'undefined' : JSON.stringify(content);
  throw new TaskError(`formatPrompt of ${environment.name} gave ${shown.slice(0, 80)}, which is no prompt`, {
    code: 'task.bad-prompt',
    hint: 'Return a text, or a list of content parts such as { type: "text", text: "…" }.',
  });
}

function isPartList(content: unknown): content is readonly ContentPart[] {
  return Array.isArray(content) && content.every((part) => isJsonObject(part) && typeof part['type'] === 'string');
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
