export type { AgentResult, ToolCallRecord, ToolError, TurnRecord } from './agent-result.ts';
