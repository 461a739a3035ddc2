export { chatModelContract } from './chat-model-contract.ts';
export type { ChatModelContractCase } from './contract-case.ts';
