export type { SandboxListing, SandboxSpec, SweepReport, TerminalBackend } from './backend.ts';
export type { OwnerState, SandboxOwner } from './ledger/sandbox-owner.ts';
export type {
  BackendKind,
  DirectoryEntry,
  FileContent,
  FileKind,
  FileOptions,
  FileStat,
  ProcessExit,
  ProcessOutput,
  ReadFileOptions,
  RunOptions,
  RunOutput,
  RunResult,
  Sandbox,
  SandboxCapabilities,
  SandboxHandle,
  SandboxProcess,
  SpawnOptions,
  TransferOptions,
  TransferResult,
  WriteFileOptions,
} from './sandbox.ts';
export { createSandboxLease, type SandboxLease, type SandboxLeaseOptions } from './sandbox-lease.ts';
export { createSandboxPool, type SandboxPool, type SandboxPoolOptions } from './sandbox-pool.ts';
export type { WarmRequest } from './warm-sandboxes.ts';
