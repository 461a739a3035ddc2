export type { StoreContractCase } from './contract-case.ts';
export { memoryStoreContract } from './memory-store-contract.ts';
export { sessionStoreContract } from './session-store-contract.ts';
export { skillStoreContract } from './skill-store-contract.ts';
