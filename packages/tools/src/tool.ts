import type { Clock, JsonObject, JsonValue, Logger, ToolDefinition } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import type { ToolCallOutcome } from './tool-call-outcome.ts';
import type { ToolErrorKind } from './tool-error-kind.ts';
import type { ToolState } from './tool-state.ts';

export type { ToolErrorKind } from './tool-error-kind.ts';

/** What a call may change. */
export type SideEffect = 'none' | 'sandbox' | 'host' | 'external';

/** Whether a tool can be offered. */
export type ToolAvailability =
  | { readonly isAvailable: true }
  | { readonly isAvailable: false; readonly reason: string };

/** What a tool gets with each call. */
export interface ToolCallContext {
  readonly taskId: string;
  readonly rolloutId: string;
  readonly toolCallId: string;
  /** Aborted by the tool's time limit or by the rollout. */
  readonly signal: AbortSignal;
  /** The rollout's sandbox, opened on first use. */
  readonly sandbox: () => Promise<SandboxHandle>;
  /** What tools remember within this rollout. */
  readonly state: ToolState;
  /** Names of the tools that the model was offered. */
  readonly enabledTools: ReadonlySet<string>;
  /** The user's task in a few words, for tools that summarise. */
  readonly userTask: string | undefined;
  readonly settings: ToolSettings;
  /** How often this very call, name and arguments, was made in a row, this time included. */
  readonly repeatCount: number;
  /** Wall clock after which `signal` is aborted; `null` where there is no limit. */
  readonly timeLimitMs: number | null;
  /**
   * Calls another tool that the model was offered, as part of this call: its arguments are checked, it may be refused, it is
   * redacted and recorded like any call, and ends with this one. Its result is whole. Rejects like `ToolDispatcher.dispatch`.
   */
  readonly callTool: (name: string, args: JsonObject, options?: CallToolOptions) => Promise<ToolCallOutcome>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Options of {@link ToolCallContext.callTool}. */
export interface CallToolOptions {
  /** Stops this call before the one that made it ends. */
  readonly signal?: AbortSignal | undefined;
}

/** Settings that the built-in tools read. */
export interface ToolSettings {
  /** Per command, where the model names none. @default 120_000 */
  readonly terminalTimeoutMs: number;
  /** A foreground command asks for at most this. @default 600_000 */
  readonly maxForegroundMs: number;
  /** Characters of command output that the model sees. @default 50_000 */
  readonly maxOutputChars: number;
  /** Keep only the last state of progress lines drawn with carriage returns. @default true */
  readonly collapseCarriageReturns: boolean;
  readonly lineNumberStyle: 'compact' | 'padded6';
  /** What a third identical read in a row does. @default 'warn' */
  readonly repeatPolicy: 'warn' | 'block' | 'off';
  /** Whether tools outside the sandbox may visit addresses that the model names. @default true */
  readonly isNetworkAllowed: boolean;
  /** Check the syntax of files after an edit. @default true */
  readonly lint: boolean;
  /** Where set, writes outside this sandbox folder are refused. */
  readonly safeRoot: string | null;
  /** What searches: `auto` takes the first of ripgrep, grep and the built-in scanner that the sandbox has. */
  readonly searchEngine: 'auto' | 'ripgrep' | 'grep' | 'builtin';
  /** Wall clock of one script of `execute_code`, the calls that it makes included. @default 300_000 */
  readonly codeTimeoutMs: number;
  /** Tool calls that one script may make. @default 50 */
  readonly maxCodeCalls: number;
  /** Characters of a script's standard error that the model sees: the last. @default 10_000 */
  readonly maxCodeStderrChars: number;
  /** Put the standard error of a script that failed after its output, too, as upstream does. @default false */
  readonly appendCodeStderr: boolean;
}

/** A result that says whether it is an error. Made by `toolError` and `toolText`. */
export interface ToolResult {
  /** Always true. */
  readonly [toolResultBrand]: true;
  /** The JSON or text that the model sees. */
  readonly content: JsonValue;
  readonly isError: boolean;
  readonly errorKind: ToolErrorKind | null;
}

/** Marks a {@link ToolResult}, from whichever copy of the package. */
export const toolResultBrand: unique symbol = Symbol.for('@talaria/tool-result');

/** A tool: what the model is told, and what happens when it is called. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** The set that it belongs to. */
  readonly toolset: string;
  /** Whether calls of one turn may run at the same time as others that are parallel-safe. */
  readonly isParallelSafe: boolean;
  readonly sideEffect: SideEffect;
  /** Wall clock of one call. @default the dispatcher's */
  readonly timeoutMs?: number | undefined;
  /** Characters of a result beyond which it is stored in the sandbox and replaced by a preview. @default 100_000 */
  readonly maxResultChars?: number | undefined;
  /** Asked once when a view is made. @default available */
  readonly checkAvailability?: (() => ToolAvailability) | undefined;
  /** The description where it depends on what else is offered. */
  readonly describe?: ((availableTools: ReadonlySet<string>) => string) | undefined;
  /**
   * Does it. The arguments were checked against the schema. Whatever is returned is sent to the model as JSON (a string
   * as it is); what is thrown becomes an error result.
   */
  readonly execute: (args: JsonObject, context: ToolCallContext) => Promise<JsonValue | ToolResult>;
  /** Rewrites arguments before they are checked, for names and values that other programs use. */
  readonly prepareArguments?: ((args: JsonObject) => JsonObject) | undefined;
  /** The shell command that a call would run: what an {@link ApprovalPolicy} looks at. */
  readonly shellCommand?: ((args: JsonObject) => string | undefined) | undefined;
}
