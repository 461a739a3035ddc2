import type { ToolCall, ToolDefinition } from '@talaria/core';
import type { ToolErrorKind } from './tool.ts';

/** What became of one tool call. */
export interface ToolCallOutcome {
  readonly toolCallId: string;
  readonly toolName: string;
  /** What the model sees. */
  readonly content: string;
  readonly isError: boolean;
  readonly errorKind: ToolErrorKind | null;
  readonly durationMs: number;
  /** Changes that were made to the arguments before they fitted the schema, in words. */
  readonly coercions: readonly string[];
  /** Where a large result was stored inside the sandbox; `null` where it was not. */
  readonly storedAt: string | null;
  /** Calls of other tools that this one made, in the order in which they ended. @default none */
  readonly nestedCalls?: readonly NestedToolCall[] | undefined;
}

/** A call that a tool made while it ran, such as one of a script under `execute_code`. */
export type NestedToolCall = Pick<ToolCallOutcome, 'toolCallId' | 'toolName' | 'isError' | 'errorKind' | 'durationMs'>;

/** Options of {@link ToolDispatcher.dispatch}. */
export interface DispatchOptions {
  readonly signal?: AbortSignal | undefined;
  readonly userTask?: string | undefined;
  /** Whether the call was read from the model's text rather than given as one by the server. @default false */
  readonly isFromText?: boolean | undefined;
}

/** The tools of one rollout, ready to be called: what the agent loop sees of tools. */
export interface ToolDispatcher {
  /** Sorted by name. */
  readonly definitions: readonly ToolDefinition[];
  /** Whether calls of this tool may run beside other such calls of the same turn. */
  isParallelSafe(toolName: string): boolean;
  /**
   * Runs one call. Every failure of name, arguments, tool or time limit is an outcome with `isError`; only the caller's
   * abort (its reason) and a lost sandbox (`SandboxError` `sandbox.lost`) reject.
   */
  dispatch(call: ToolCall, options?: DispatchOptions): Promise<ToolCallOutcome>;
  /**
   * Applies the limit on the results of one whole turn: the largest are stored in the sandbox and replaced by a preview
   * until the rest fits. Order and length stay.
   */
  limitTurn(outcomes: readonly ToolCallOutcome[], options?: DispatchOptions): Promise<readonly ToolCallOutcome[]>;
}
