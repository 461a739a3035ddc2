import {
  type Clock,
  ConfigError,
  type CreateId,
  createId,
  type JsonObject,
  type Logger,
  type RunEventBody,
  silentLogger,
  systemClock,
} from '@talaria/core';
import type { ChatModel, ReasoningOptions } from '@talaria/model-client';
import { parsers, type ToolCallParser } from '@talaria/tool-call-parsers';
import type { ToolDispatcher } from '@talaria/tools';

/** What a conversation may use up. Checked before each model call; time also while something runs. */
export interface AgentBudgets {
  /**
   * Prompt and completion tokens of all answers together. Answers without reported usage count nothing, and a warning
   * says so. `null`: no limit. @default null
   */
  readonly maxTokens?: number | null | undefined;
  /**
   * US dollars of all answers together. Answers without a known price count nothing, and a warning says so.
   * `null`: no limit. @default null
   */
  readonly maxCostUsd?: number | null | undefined;
  /** Wall clock of the whole conversation. `null`: no limit. @default null */
  readonly maxDurationMs?: number | null | undefined;
}

/** Options of {@link runAgentLoop}. */
export interface AgentLoopOptions {
  /** Who answers. Not closed by the loop. */
  readonly model: ChatModel;
  /** The tools that the model is offered. */
  readonly tools: ToolDispatcher;
  /**
   * Reads tool calls that the model writes as text, where an answer has no structured ones and tools are offered. What
   * it leaves of the text is what the model said. `null`: text stays text.
   * @default null
   */
  readonly parser?: ToolCallParser | null | undefined;
  /**
   * Other formats: an answer without calls in which one of them finds a call of an offered tool is logged as
   * `agent-loop.foreign-format`.
   * @default every format of `@talaria/tool-call-parsers`
   */
  readonly knownParsers?: readonly ToolCallParser[] | undefined;
  /** Most model calls. @default 30 */
  readonly maxTurns?: number | undefined;
  /** @default the provider's */
  readonly temperature?: number | undefined;
  /** Most tokens of one answer. @default the provider's */
  readonly maxTokens?: number | undefined;
  /** Merged into the body of every request. */
  readonly extraBody?: JsonObject | undefined;
  readonly reasoning?: ReasoningOptions | undefined;
  /**
   * Tokens that the model can hold. Where known, `maxTokens` shrinks to what is left, and the conversation ends as
   * `truncated` when nothing is. `null`: the provider judges. @default null
   */
  readonly contextLimitTokens?: number | null | undefined;
  readonly budgets?: AgentBudgets | undefined;
  /** Most parallel-safe calls of one turn that run at the same time. @default 8 */
  readonly maxConcurrentCalls?: number | undefined;
  /**
   * Ask for answers piece by piece and emit `text-delta`, without calls written as text, and `reasoning-delta`.
   * @default false
   */
  readonly isStreaming?: boolean | undefined;
  /** Hears what happens, in order. What it throws is logged and changes nothing. */
  readonly onEvent?: ((event: RunEventBody) => void) | undefined;
  /** Ends the conversation: the loop resolves with `aborted` once everything it started has stopped. */
  readonly signal?: AbortSignal | undefined;
  /** @default the system's */
  readonly clock?: Clock | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
  /** Makes the ids of calls that have none, or one that was used before. @default random */
  readonly createId?: CreateId | undefined;
}

/** Limits that the decisions of a conversation look at; absent ones are infinite. */
export interface ConversationLimits {
  readonly maxTurns: number;
  readonly maxTotalTokens: number;
  readonly maxCostUsd: number;
  readonly maxDurationMs: number;
  readonly contextLimitTokens: number;
  /** Most tokens of one answer; `undefined` leaves it to the provider. */
  readonly maxAnswerTokens: number | undefined;
}

/** Options with every default in place. */
export interface LoopSettings
  extends Pick<AgentLoopOptions, 'temperature' | 'extraBody' | 'reasoning' | 'onEvent' | 'signal'> {
  readonly model: ChatModel;
  readonly tools: ToolDispatcher;
  readonly parser: ToolCallParser | null;
  readonly knownParsers: readonly ToolCallParser[];
  readonly limits: ConversationLimits;
  readonly maxConcurrentCalls: number;
  readonly isStreaming: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createId: CreateId;
}

/** Checks the numbers and fills in the defaults. @throws ConfigError `config.invalid` */
export function resolveLoopSettings(options: AgentLoopOptions): LoopSettings {
  return {
    ...options,
    parser: options.parser ?? null,
    knownParsers: options.knownParsers ?? parsers,
    limits: resolveLimits(options),
    maxConcurrentCalls: positiveInteger('maxConcurrentCalls', options.maxConcurrentCalls ?? 8),
    isStreaming: options.isStreaming ?? false,
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    createId: options.createId ?? createId,
  };
}

function resolveLimits(options: AgentLoopOptions): ConversationLimits {
  const { budgets = {}, maxTokens } = options;
  return {
    maxTurns: positiveInteger('maxTurns', options.maxTurns ?? 30),
    maxTotalTokens: positive('budgets.maxTokens', budgets.maxTokens ?? Number.POSITIVE_INFINITY),
    maxCostUsd: positive('budgets.maxCostUsd', budgets.maxCostUsd ?? Number.POSITIVE_INFINITY),
    maxDurationMs: positive('budgets.maxDurationMs', budgets.maxDurationMs ?? Number.POSITIVE_INFINITY),
    contextLimitTokens: positive('contextLimitTokens', options.contextLimitTokens ?? Number.POSITIVE_INFINITY),
    maxAnswerTokens: maxTokens === undefined ? undefined : positiveInteger('maxTokens', maxTokens),
  };
}

function positiveInteger(name: string, value: number): number {
  return Number.isInteger(value) ? positive(name, value) : refuse(name, value, 'a whole number of 1 or more');
}

function positive(name: string, value: number): number {
  return value > 0 ? value : refuse(name, value, 'a number above 0');
}

function refuse(name: string, value: number, wanted: string): never {
  throw new ConfigError(`AgentLoopOptions.${name} is ${value}`, { code: 'config.invalid', hint: `Give ${wanted}.` });
}
