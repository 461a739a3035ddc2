import type { ChatMessage, Failure, JsonObject, StopReason, Usage } from '@talaria/core';
import type { NestedToolCall, ToolErrorKind } from '@talaria/tools';

/**
 * A tool call that failed, or a piece of text that looked like a call and is none (`malformed_call`: no id, no name).
 * A command that exits with another status than 0 is not one.
 */
export interface ToolError {
  /** 1-based. */
  readonly turn: number;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly kind: ToolErrorKind | 'malformed_call';
  /** As the model wrote them, first 200 characters. */
  readonly arguments: string;
  readonly error: string;
  /** What the model saw, first 500 characters. */
  readonly toolResult: string;
}

/** One tool call within a turn. */
export interface ToolCallRecord {
  readonly id: string;
  readonly name: string;
  readonly isError: boolean;
  /** Milliseconds since the loop began. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly coercions: readonly string[];
  /** Where the whole result is, inside the sandbox, if it was longer than the limit; else `null`. */
  readonly storedAt: string | null;
  /** Calls of other tools that this one made, in the order in which they ended. */
  readonly nestedCalls: readonly NestedToolCall[];
}

/** One turn: a model call and the tool calls that it asked for. */
export interface TurnRecord {
  /** 1-based. */
  readonly turn: number;
  readonly modelMs: number;
  readonly toolsMs: number;
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly costUsd: number | null;
  readonly toolCalls: readonly ToolCallRecord[];
  /** The answer as the model wrote it, where a parser changed it. */
  readonly rawText: string | null;
  /** What the parser could not read, in words. */
  readonly parseErrors: readonly string[];
}

/** What became of one conversation. */
export interface AgentResult {
  /** The whole history, the initial messages included. */
  readonly messages: readonly ChatMessage[];
  /** Model calls made, a failed one included. */
  readonly turnsUsed: number;
  /** The model answered without calling a tool, uncut. */
  readonly finishedNaturally: boolean;
  readonly stopReason: StopReason;
  /**
   * Set where the conversation failed rather than ended: with `model_error`, `sandbox_lost` and `malformed_call` always;
   * with `completed` where the model answered nothing twice (`model.empty-answer`); with `truncated` where the context
   * was full (`model.context-overflow`) or a content filter cut the answer (`model.content-filter`).
   */
  readonly error: Failure | null;
  /** One entry per answer. */
  readonly reasoningPerTurn: readonly (string | null)[];
  readonly toolErrors: readonly ToolError[];
  /** Sum over all answers that reported one. */
  readonly usage: Usage;
  /** US dollars; `null` as soon as the price of one answer is unknown. */
  readonly costUsd: number | null;
  readonly turns: readonly TurnRecord[];
  /** Token-level state of a model that keeps one. */
  readonly managedState: JsonObject | null;
}
