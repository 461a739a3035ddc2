export type { AgentBudgets, AgentLoopOptions } from './agent-loop-options.ts';
export type { AgentResult, ToolCallRecord, ToolError, TurnRecord } from './agent-result.ts';
export { finalResponse, toolCallsOf, toolNamesOf } from './result-readers.ts';
export { runAgentLoop } from './run-agent-loop.ts';
