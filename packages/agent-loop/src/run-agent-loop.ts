import {
  assertNever,
  type ChatMessage,
  type Deadline,
  messageText,
  openDeadline,
  type RunEventBody,
  toFailure,
  truncateText,
} from '@talaria/core';
import type { ChatCompletion, ChatRequest } from '@talaria/model-client';
import { acceptAnswer, acceptModelFailure } from './accept-answer.ts';
import { acceptToolRound } from './accept-tool-round.ts';
import { type AgentLoopOptions, type LoopSettings, resolveLoopSettings } from './agent-loop-options.ts';
import type { AgentResult } from './agent-result.ts';
import { askModel } from './ask-model.ts';
import { applyCorrection, beginConversation, type Conversation, toAgentResult } from './conversation.ts';
import { createEmitter } from './emitter.ts';
import { findForeignFormats } from './foreign-formats.ts';
import { type AskModelStep, nextStep, type Progress, type RunToolsStep } from './next-step.ts';
import { type Answer, readAnswer } from './read-answer.ts';
import { runToolCalls } from './run-tool-calls.ts';
import { createTextFilter } from './text-filter.ts';

/**
 * Lets a model work: asks it, runs the tools that it calls, gives it the results, and so on until it answers without a
 * call or a limit is reached. Whatever happens on the way (a failing endpoint, a lost sandbox, the caller's abort) is a
 * result with its `stopReason` and everything said so far; every call in the history has its answer.
 *
 * The given array is not changed. Resolves only once everything that was started has stopped.
 *
 * @throws ConfigError `config.invalid` for limits that are none, before anything is asked
 */
export async function runAgentLoop(messages: readonly ChatMessage[], options: AgentLoopOptions): Promise<AgentResult> {
  const settings = resolveLoopSettings(options);
  using deadline = openDeadline(settings.clock, settings.limits.maxDurationMs, settings.signal);
  const run: LoopRun = {
    settings,
    deadline,
    startedAtMs: settings.clock.monotonicMs(),
    userTask: userTaskOf(messages),
    usedIds: new Set(messages.flatMap(callIdsOf)),
    emit: createEmitter(settings.onEvent, settings.logger),
  };
  let conversation = beginConversation(messages);
  for (;;) {
    const step = nextStep(conversation, settings.limits, progressOf(run));
    switch (step.kind) {
      case 'ask-model':
        conversation = await takeAskModelStep(run, conversation, step);
        break;
      case 'run-tools':
        conversation = await takeRunToolsStep(run, conversation, step);
        break;
      case 'stop':
        return toAgentResult(conversation, step.ending);
      default:
        return assertNever(step);
    }
    if (conversation.pendingCalls.length === 0) reportTurn(run, conversation);
  }
}

/** What the effects of one conversation share. */
interface LoopRun {
  readonly settings: LoopSettings;
  readonly deadline: Deadline;
  readonly startedAtMs: number;
  readonly userTask: string | undefined;
  /** Ids of every call so far. It grows with the conversation: a new set for each turn would cost all turns before. */
  readonly usedIds: Set<string>;
  readonly emit: (event: RunEventBody) => void;
}

function callIdsOf(message: ChatMessage): readonly string[] {
  return message.role === 'assistant' ? (message.tool_calls ?? []).map((call) => call.id) : [];
}

/** Characters of the first user message that tools get to see. */
const maxUserTaskChars = 500;

function userTaskOf(messages: readonly ChatMessage[]): string | undefined {
  const first = messages.find((message) => message.role === 'user');
  return first === undefined ? undefined : truncateText(messageText(first).trim(), maxUserTaskChars);
}

function progressOf({ settings, deadline, startedAtMs }: LoopRun): Progress {
  return {
    isAborted: settings.signal?.aborted ?? false,
    // The timer and the clock may differ by a fraction: once the deadline has struck, the time is over.
    elapsedMs: deadline.isExpired() ? Number.POSITIVE_INFINITY : settings.clock.monotonicMs() - startedAtMs,
  };
}

async function takeAskModelStep(run: LoopRun, before: Conversation, step: AskModelStep): Promise<Conversation> {
  const { settings, deadline, emit } = run;
  const { clock, model, tools, isStreaming } = settings;
  const { turn } = step;
  const conversation = applyCorrection(before);
  const startedAtMs = clock.monotonicMs();
  emit({ type: 'turn-start', turn });
  const request = requestOf(settings, conversation, step);
  const telling = isStreaming ? { turn, emit, filter: createTextFilter(settings.parser, tools.definitions) } : null;
  // Read here: a parser or a model that does not keep its promises is a failure of the model, too.
  const outcome = await askModel(model, request, { telling, signal: deadline.signal })
    .then((completion) => ({ answer: readOne(run, turn, completion) }))
    .catch((error: unknown) => ({ error }));
  const modelMs = clock.monotonicMs() - startedAtMs;
  if ('error' in outcome) {
    const failure = deadline.signal.aborted ? null : toFailure(outcome.error, 'model');
    return acceptModelFailure(conversation, failure, modelMs);
  }
  const { answer } = outcome;
  warnOfUncounted(settings, conversation, answer.completion);
  return acceptAnswer(conversation, answer, modelMs);
}

function readOne({ settings, usedIds }: LoopRun, turn: number, completion: ChatCompletion): Answer {
  const { parser, tools, createId } = settings;
  const answer = readAnswer(completion, { parser, tools: tools.definitions, usedIds, createId });
  for (const { call } of answer.calls) usedIds.add(call.id);
  if (answer.calls.length === 0) warnOfForeignFormats(settings, turn, completion.message.content ?? '');
  return answer;
}

function requestOf(settings: LoopSettings, conversation: Conversation, step: AskModelStep): ChatRequest {
  const { tools, temperature, extraBody, reasoning } = settings;
  return {
    messages: conversation.messages,
    ...(tools.definitions.length === 0 ? {} : { tools: tools.definitions }),
    ...(step.maxTokens === undefined ? {} : { maxTokens: step.maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(extraBody === undefined ? {} : { extraBody }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

async function takeRunToolsStep(run: LoopRun, conversation: Conversation, step: RunToolsStep): Promise<Conversation> {
  const { settings, deadline, startedAtMs, userTask, emit } = run;
  const { tools, maxConcurrentCalls, clock, logger } = settings;
  const round = await runToolCalls(step.calls, {
    turn: step.turn,
    tools,
    maxConcurrentCalls,
    userTask,
    loopStartedAtMs: startedAtMs,
    clock,
    logger,
    emit,
    signal: deadline.signal,
  });
  return acceptToolRound(conversation, round);
}

function reportTurn({ settings, emit }: LoopRun, conversation: Conversation): void {
  const record = conversation.turns.at(-1);
  if (record === undefined) return;
  const { turn, finishReason, usage, modelMs, toolsMs, toolCalls } = record;
  emit({ type: 'turn-end', turn, finishReason, usage, modelMs, toolsMs });
  settings.logger.debug('agent-loop.turn', { turn, finishReason, modelMs, toolsMs, toolCalls: toolCalls.length });
}

function warnOfForeignFormats(settings: LoopSettings, turn: number, text: string): void {
  const { knownParsers, parser, tools, logger } = settings;
  const formats = findForeignFormats(text, { parsers: knownParsers, configured: parser, tools: tools.definitions });
  if (formats.length === 0) return;
  logger.warn('agent-loop.foreign-format', { turn, formats, configured: parser?.name ?? null });
}

/** Says once that a budget cannot count what the provider does not tell. */
function warnOfUncounted({ limits, logger }: LoopSettings, before: Conversation, completion: ChatCompletion): void {
  const { maxCostUsd, maxTotalTokens } = limits;
  if (completion.costUsd === null && before.costUsd !== null && maxCostUsd !== Number.POSITIVE_INFINITY) {
    logger.warn('agent-loop.price-unknown', { model: completion.model, maxCostUsd });
  }
  if (completion.usage !== null || maxTotalTokens === Number.POSITIVE_INFINITY) return;
  if (before.turns.every((turn) => turn.usage !== null)) {
    logger.warn('agent-loop.usage-unknown', { model: completion.model, maxTokens: maxTotalTokens });
  }
}
