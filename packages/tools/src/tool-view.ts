import type { JsonObject, ToolDefinition } from '@talaria/core';
import type { ArgumentCheck } from './argument-check.ts';
import type { Tool } from './tool.ts';

/** The tools that one rollout is offered. Never changes; may be shared by any number of rollouts. */
export interface ToolView {
  /** What the model is told, sorted by name. */
  readonly definitions: readonly ToolDefinition[];
  /** In the order of {@link ToolView.definitions}. */
  readonly names: ReadonlySet<string>;
  /** What the reader of a log should know: sets without any tool yet, tools that cannot be offered here. */
  readonly warnings: readonly string[];
  /** The tool of that name, if it is offered. */
  get(name: string): Tool | undefined;
  /** Checks arguments against a tool's schema; near misses are coerced if `isLenient`. */
  checkArguments(tool: Tool, args: JsonObject, isLenient: boolean): ArgumentCheck;
}

/** Which tools a view holds. */
export interface ToolSelection {
  /**
   * Names of sets. `null`: every tool that works inside the sandbox, or on the web where that is configured; nothing that
   * acts on the host, remembers between sessions or talks to people. `[]`: none but `extraTools`. @default null
   */
  readonly enabled?: readonly string[] | null | undefined;
  /** Names of sets whose tools are taken away afterwards. @default none */
  readonly disabled?: readonly string[] | undefined;
  /** Tools of this view alone, in whatever set they are; they stand in for tools of the same name. @default none */
  readonly extraTools?: readonly Tool[] | undefined;
  /** Accept that nothing is left though something was asked for. @default false */
  readonly allowNoTools?: boolean | undefined;
  /** Accept that a set which was asked for cannot be offered here. @default false */
  readonly allowMissingTools?: boolean | undefined;
}
