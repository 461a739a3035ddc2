export type { OpenSandbox, SandboxContractCase } from './contract-case.ts';
export { type ContractSubject, sandboxContract, selectContractCases } from './sandbox-contract.ts';
