import type { ChatMessage, Failure, JsonObject, JsonValue, StopReason, ToolDefinition, Usage } from '@talaria/core';

/** Name and version of the record. Readers refuse a version that they do not know. */
export const rolloutSchema = 'talaria.rollout/1';

/** How a rollout ended, for consumers that need only this. */
export type RolloutStatus = 'completed' | 'truncated' | 'aborted' | 'failed';

/** One tool call of a turn. */
export interface RolloutToolCall {
  readonly id: string;
  readonly name: string;
  readonly isError: boolean;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly coercions: readonly string[];
  readonly storedAt: string | null;
  /** Calls of other tools that this one made, in the order in which they ended. */
  readonly nestedCalls: readonly RolloutNestedCall[];
}

/** A tool call that a tool made, such as one of a script. */
export interface RolloutNestedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly isError: boolean;
  /** `null` where it is no error. */
  readonly errorKind: string | null;
  readonly durationMs: number;
}

/** One turn. */
export interface RolloutTurn {
  /** 1-based. */
  readonly turn: number;
  readonly modelMs: number;
  readonly toolsMs: number;
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly costUsd: number | null;
  readonly toolCalls: readonly RolloutToolCall[];
  readonly rawText: string | null;
  readonly parseErrors: readonly string[];
}

/** A tool call that failed. */
export interface RolloutToolError {
  readonly turn: number;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly kind: string;
  readonly arguments: string;
  readonly error: string;
  readonly toolResult: string;
}

/** Tokens of one path through the conversation, where the engine gave them. All arrays have one length. */
export interface TokenBranch {
  readonly tokenIds: readonly number[];
  /** 1 where the model sampled the token. */
  readonly mask: readonly (0 | 1)[];
  /** Natural logarithm; `null` where not sampled. */
  readonly logprobs: readonly (number | null)[];
  readonly temperature: number | null;
  /** Start and end (exclusive) of each turn's sampled tokens. */
  readonly turnSpans: readonly (readonly [number, number])[];
  readonly finishReasons: readonly string[];
}

/** How the answers were sampled. */
export interface SamplingSettings {
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly extraBody: JsonObject | null;
}

/** When and how long. */
export interface RolloutTiming {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly durationMs: number;
  readonly modelMs: number;
  readonly toolsMs: number;
  readonly rewardMs: number;
}

/** Versions of what made the record. */
export interface RolloutVersions {
  readonly talaria: string;
  readonly node: string;
}

/**
 * The canonical record of one rollout: the only thing that a journal holds. Group lines, rows, training data and
 * benchmark tables are projections of it. In files its fields are snake_case: see `encodeRollout` and `decodeRollout`.
 */
export interface Rollout {
  readonly schema: typeof rolloutSchema;
  readonly rolloutId: string;
  readonly runId: string;
  /** Shared by the rollouts of one item. */
  readonly groupId: string;
  /** Content hash of the item, a colon, and which occurrence of that content it is (0-based). */
  readonly itemKey: string;
  /** 0-based position of the group in the run. */
  readonly groupIndex: number;
  /** 0-based position in the group. */
  readonly sample: number;
  /** 1-based: how often this sample was tried. */
  readonly attempt: number;
  readonly environment: string;
  readonly split: 'train' | 'eval';
  readonly model: string;
  readonly item: JsonValue;
  readonly status: RolloutStatus;
  readonly stopReason: StopReason;
  readonly failure: Failure | null;
  /** Leave out of training: infrastructure failed, or the grader did. */
  readonly isMasked: boolean;
  /** `null` where it was not scored. */
  readonly reward: number | null;
  readonly rewardParts: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number>>;
  /** What the grader added. */
  readonly info: JsonObject | null;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly toolsets: readonly string[];
  readonly turnsUsed: number;
  readonly finishedNaturally: boolean;
  readonly turns: readonly RolloutTurn[];
  readonly toolErrors: readonly RolloutToolError[];
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly sampling: SamplingSettings;
  readonly branches: readonly TokenBranch[] | null;
  readonly tokenSource: 'engine' | 'retokenized' | 'none';
  readonly timing: RolloutTiming;
  readonly versions: RolloutVersions;
}
