export type {
  SideEffect,
  Tool,
  ToolAvailability,
  ToolCallContext,
  ToolErrorKind,
  ToolResult,
  ToolSettings,
} from './tool.ts';
export type { DispatchOptions, ToolCallOutcome, ToolDispatcher } from './tool-dispatcher.ts';
export { createToolState, type ToolState, type ToolStateKey } from './tool-state.ts';
