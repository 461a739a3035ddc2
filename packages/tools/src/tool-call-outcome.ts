import type { ToolErrorKind } from './tool-error-kind.ts';

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
