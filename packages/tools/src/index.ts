export { createInteractivePolicy, type InteractivePolicyOptions } from './approval/interactive-policy.ts';
export {
  type ApprovalDecision,
  type ApprovalPolicy,
  type ApprovalRequest,
  allowAll,
  denyAll,
  guarded,
  sandboxed,
} from './approval-policy.ts';
export type { ArgumentCheck } from './argument-check.ts';
export { builtinTools, createBuiltinRegistry } from './builtin-tools.ts';
export { builtinToolsets } from './builtin-toolsets.ts';
export { createToolDispatcher } from './create-tool-dispatcher.ts';
export { defineTool, type ToolOptions, type ZodToolOptions } from './define-tool.ts';
export { builtinDistributions, getDistribution } from './distributions/builtin-distributions.ts';
export {
  type PreparedDistribution,
  prepareDistribution,
  type RemovedToolset,
} from './distributions/prepare-distribution.ts';
export { parseDistribution, type ToolsetDistribution } from './distributions/toolset-distribution.ts';
export { seededDraw, type ToolsetDraw } from './distributions/toolset-draw.ts';
export { defaultResultLimits, type ResultLimits } from './result-limits.ts';
export { type ExtendedRegex, toExtendedRegex } from './search/extended-regex.ts';
export { renderOpenTodos, type TodoItem, type TodoStatus } from './todo/todo-list.ts';
export { todoState } from './todo/todo-tool.ts';
export {
  type CallToolOptions,
  type SideEffect,
  type Tool,
  type ToolAvailability,
  type ToolCallContext,
  type ToolErrorKind,
  type ToolResult,
  type ToolSettings,
  toolResultBrand,
} from './tool.ts';
export type { DispatchOptions, NestedToolCall, ToolCallOutcome, ToolDispatcher } from './tool-dispatcher.ts';
export type { ToolDispatcherOptions } from './tool-dispatcher-options.ts';
export { createToolRegistry, type ToolRegistry, type ToolRegistryOptions } from './tool-registry.ts';
export { inferToolError, toolError, toolText } from './tool-result.ts';
export { defaultToolSettings, resolveToolSettings } from './tool-settings.ts';
export { createToolState, type ToolState, type ToolStateKey } from './tool-state.ts';
export type { ToolSelection, ToolView } from './tool-view.ts';
export type { Toolset } from './toolset.ts';
