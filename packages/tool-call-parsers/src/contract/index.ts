export { type ContractCase, ContractFailure } from './contract-case.ts';
export { type ToolCallParserContractOptions, toolCallParserContract } from './tool-call-parser-contract.ts';
export { type ExpectedToolCall, readToolCallVectors, type ToolCallVector } from './tool-call-vector.ts';
export type { DisputedVector } from './vector-cases.ts';
