import type { ToolCall, ToolDefinition } from '@talaria/core';
import type { ToolCallOutcome } from './tool-call-outcome.ts';

export type { NestedToolCall, ToolCallOutcome } from './tool-call-outcome.ts';

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
