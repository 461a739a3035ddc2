export { type ChatModelContractCase, chatModelContract } from './chat-model-contract.ts';
