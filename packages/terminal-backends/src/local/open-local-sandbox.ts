import { mkdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  ConfigError,
  type CreateId,
  errorMessage,
  isAbortOf,
  isTalariaError,
  type Logger,
  makeFolder,
  settleWithin,
  systemErrorCode,
} from '@talaria/core';
import type { SandboxSpec } from '../backend.ts';
import type { SandboxLedger } from '../ledger/sandbox-ledger.ts';
import { describeOwner } from '../ledger/sandbox-owner.ts';
import type { SandboxCapabilities } from '../sandbox.ts';
import { defaultLifetimeMs, defaultTimeoutMs } from '../sandbox-defaults.ts';
import { checkVariables, type EnvironmentPlaces } from '../sandbox-environment.ts';
import { createShellState } from '../shell-state.ts';
import { createFifoPool } from './fifo-pool.ts';
import { type HostPrograms, requireProgram } from './host-programs.ts';
import { localError } from './local-error.ts';
import { LocalSandbox } from './local-sandbox.ts';
import type { ProcessTable } from './process-table.ts';
import { removeTree } from './remove-tree.ts';
import { resolveSandboxPath } from './sandbox-path.ts';

/** What all sandboxes of one local backend share. */
export interface LocalSetup {
  readonly stateFolder: string;
  /** Variables of a sandbox, but for those of its spec. */
  readonly createEnvironment: (places: EnvironmentPlaces) => Record<string, string>;
  /** Where the backend's own programs are looked for. */
  readonly hostPath: string | undefined;
  readonly script: string | null;
  readonly capabilities: SandboxCapabilities;
  readonly table: ProcessTable;
  readonly ledger: SandboxLedger;
  readonly killGraceMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createId: CreateId;
}

const maxCleanupMs = 30_000;

/** Opens a sandbox; where that fails or is aborted, nothing stays behind. */
export async function openLocalSandbox(
  spec: SandboxSpec,
  setup: LocalSetup,
  signal: AbortSignal | undefined,
): Promise<LocalSandbox> {
  signal?.throwIfAborted();
  checkSpec(spec);
  const programs = {
    bash: requireProgram('bash', setup.hostPath),
    mkfifo: requireProgram('mkfifo', setup.hostPath),
    script: setup.script,
  };
  const { ledger, logger } = setup;
  const id = setup.createId('sandbox');
  try {
    await recordSandbox(spec, id, setup);
    signal?.throwIfAborted();
    const sandbox = await buildSandbox(spec, id, programs, setup);
    if (!signal?.aborted) {
      logger.debug('sandbox.opened', { sandboxId: id, taskId: spec.taskId });
      return sandbox;
    }
    await sandbox[Symbol.asyncDispose]();
    throw signal.reason;
  } catch (error) {
    await settleWithin(() => removeTree(ledger.folderOf(id)), maxCleanupMs, logger);
    await settleWithin(async () => void (await ledger.remove(id)), maxCleanupMs, logger);
    throw openError(error, setup.stateFolder, signal);
  }
}

function checkSpec(spec: SandboxSpec): void {
  checkVariables(spec.env ?? {});
  if (spec.allowNetwork !== false) return;
  throw new ConfigError(
    `The task ${spec.taskId} forbids the network, and the local backend cannot keep programs off it`,
    { code: 'config.unsupported', hint: 'Use a container backend, or allow the network for this task.' },
  );
}

/** Writes down what is about to be made, so that a crash at any later moment leaves only what a sweep finds. */
async function recordSandbox(spec: SandboxSpec, id: string, setup: LocalSetup): Promise<void> {
  const createdAt = setup.clock.now();
  const expiresAt = createdAt + (spec.maxLifetimeMs ?? defaultLifetimeMs);
  const owner = await describeOwner(process.pid);
  await setup.ledger.add({
    version: 1,
    id,
    backend: 'local',
    place: '',
    taskId: spec.taskId,
    owner,
    createdAt,
    expiresAt,
  });
}

async function buildSandbox(
  spec: SandboxSpec,
  id: string,
  programs: HostPrograms,
  setup: LocalSetup,
): Promise<LocalSandbox> {
  const { clock, logger, table, killGraceMs, ledger } = setup;
  const folder = join(await realpath(join(setup.stateFolder, 'sandboxes')), id);
  const home = join(folder, 'home');
  const temporaryFolder = join(folder, 'tmp');
  const stateFolder = join(folder, 'state');
  for (const made of [folder, home, temporaryFolder, stateFolder]) await mkdir(made, { mode: 0o700 });
  const environment = { ...setup.createEnvironment({ home, temporaryFolder }), ...spec.env };
  const state = await createShellState(stateFolder, environment);
  return new LocalSandbox({
    folder,
    temporaryFolder,
    capabilities: setup.capabilities,
    cwd: await startFolder(spec.cwd, home),
    maxLifetimeMs: spec.maxLifetimeMs ?? defaultLifetimeMs,
    async forget() {
      await ledger.remove(id);
    },
    place: {
      sandboxId: id,
      home,
      stateFolder,
      environment,
      state,
      defaultTimeoutMs: spec.defaultTimeoutMs ?? defaultTimeoutMs,
      programs,
      tools: { clock, logger, table, killGraceMs, pool: createFifoPool(stateFolder, programs.mkfifo) },
    },
  });
}

async function startFolder(cwd: string | undefined, home: string): Promise<string> {
  if (cwd === undefined) return home;
  const folder = await resolveSandboxPath(cwd, home, home);
  // Inside the sandbox's own home nothing can be there yet.
  if (folder.startsWith(`${home}/`)) await makeFolder(folder);
  const stats = await stat(folder).catch(() => null);
  if (stats?.isDirectory()) return await realpath(folder);
  throw localError(`The start folder ${folder} does not exist on this machine`, {
    code: 'sandbox.not-found',
    phase: 'create',
    started: false,
    hint: 'Use a folder below ~, or a container backend with the image that the task expects.',
  });
}

function openError(error: unknown, stateFolder: string, signal: AbortSignal | undefined): unknown {
  const code = systemErrorCode(error);
  if (isTalariaError(error) || isAbortOf(error, signal) || code === undefined) return error;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return localError(`Cannot make a sandbox in ${stateFolder}: ${errorMessage(error)}`, {
    code: isFull ? 'sandbox.no-space' : code === 'EACCES' || code === 'EROFS' ? 'sandbox.permission' : 'sandbox.failed',
    phase: 'create',
    started: false,
    retryable: isFull,
    hint: isFull ? 'Free space there, or choose another folder.' : 'Check that the folder can be written to.',
    cause: error,
  });
}
