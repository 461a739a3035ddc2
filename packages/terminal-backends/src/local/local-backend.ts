import { mkdir, realpath, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import {
  type Clock,
  ConfigError,
  type CreateId,
  createId as createRandomId,
  errorMessage,
  isTalariaError,
  type Logger,
  silentLogger,
  systemClock,
  systemErrorCode,
} from '@talaria/core';
import type { SandboxSpec, TerminalBackend } from '../backend.ts';
import type { SandboxCapabilities } from '../sandbox.ts';
import { checkVariables, createSandboxEnvironment } from '../sandbox-environment.ts';
import { createShellState } from '../shell-state.ts';
import { createFifoPool } from './fifo-pool.ts';
import { removeTree } from './file-access.ts';
import { findProgram, requireProgram } from './host-programs.ts';
import { localError } from './local-error.ts';
import { LocalSandbox } from './local-sandbox.ts';
import { createProcessTable } from './process-table.ts';
import { createSandboxLedger } from './sandbox-ledger.ts';
import { describeOwner } from './sandbox-owner.ts';
import { resolveSandboxPath } from './sandbox-path.ts';
import { sweepSandboxes } from './sweep-sandboxes.ts';

/** Options of {@link createLocalBackend}. */
export interface LocalBackendOptions {
  /** Absolute folder for sandboxes and their ledger. Processes may share it. Made if it is not there. */
  readonly stateFolder: string;
  /** Variables of the host. A sandbox gets only those of an allow list. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of host variables to hand on beside the allow list. @default none */
  readonly passthrough?: readonly string[] | undefined;
  /** Names in `passthrough` that look like secrets and are meant all the same. @default none */
  readonly allowSecretEnv?: readonly string[] | undefined;
  /** Variables with their values for every sandbox. @default none */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Time between SIGTERM and SIGKILL, in milliseconds. @default 2_000 */
  readonly killGraceMs?: number | undefined;
  /** @default the system's clock */
  readonly clock?: Clock | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
  /** Makes the names of sandboxes. @default random */
  readonly createId?: CreateId | undefined;
}

const defaultTimeoutMs = 120_000;
const defaultLifetimeMs = 3_600_000;
const defaultGraceMs = 2_000;

/**
 * Creates the backend that runs commands on this machine, each sandbox in a folder of its own. It isolates nothing: a
 * command can read and change whatever the user that runs Talaria can.
 * @throws ConfigError `config.invalid` for a relative `stateFolder`; `config.secret-variable`; `config.invalid-variable`
 */
export function createLocalBackend(options: LocalBackendOptions): TerminalBackend {
  const { stateFolder, environment: hostEnvironment, env = {}, passthrough = [], allowSecretEnv = [] } = options;
  const { clock = systemClock, logger = silentLogger, createId = createRandomId } = options;
  const { killGraceMs = defaultGraceMs } = options;
  if (!isAbsolute(stateFolder)) {
    throw new ConfigError(`The state folder ${JSON.stringify(stateFolder)} of the local backend is not absolute`, {
      code: 'config.invalid',
      hint: 'Give an absolute path.',
    });
  }
  const source = { hostEnvironment, passthrough, allowSecretEnv };
  const user = hostEnvironment['USER'] || userName();
  checkVariables(env);
  // Wrong names are the user's mistake, to be told of before a run starts.
  createSandboxEnvironment(source, { home: '/', temporaryFolder: '/', user });
  const path = hostEnvironment['PATH'];
  const script = process.platform === 'linux' ? findProgram('script', path) : null;
  const capabilities: SandboxCapabilities = { ...fixedCapabilities, pty: script !== null };
  const table = createProcessTable(process.platform);
  const ledger = createSandboxLedger(stateFolder);

  async function build(spec: SandboxSpec, id: string, folder: string): Promise<LocalSandbox> {
    const home = join(folder, 'home');
    const temporaryFolder = join(folder, 'tmp');
    const privateFolder = join(folder, 'state');
    for (const made of [folder, home, temporaryFolder, privateFolder]) await mkdir(made, { mode: 0o700 });
    const environment = {
      ...createSandboxEnvironment(source, { home, temporaryFolder, user }),
      ...env,
      ...spec.env,
    };
    const pool = createFifoPool(privateFolder, environment);
    return new LocalSandbox({
      folder,
      temporaryFolder,
      capabilities,
      cwd: await startFolder(spec.cwd, home),
      maxLifetimeMs: spec.maxLifetimeMs ?? defaultLifetimeMs,
      async forget() {
        await ledger.remove(id);
      },
      place: {
        sandboxId: id,
        home,
        stateFolder: privateFolder,
        environment,
        defaultTimeoutMs: spec.defaultTimeoutMs ?? defaultTimeoutMs,
        programs: { bash: requireProgram('bash', path), script },
        state: await createShellState(privateFolder, environment),
        tools: { clock, logger, table, pool, killGraceMs },
      },
    });
  }

  async function record(spec: SandboxSpec, id: string): Promise<void> {
    const createdAt = clock.now();
    const expiresAt = createdAt + (spec.maxLifetimeMs ?? defaultLifetimeMs);
    const owner = await describeOwner(process.pid);
    await ledger.add({ version: 1, id, taskId: spec.taskId, owner, createdAt, expiresAt });
  }

  return {
    kind: 'local',
    capabilities,
    async open(spec, { signal } = {}) {
      signal?.throwIfAborted();
      checkSpec(spec);
      for (const program of ['bash', 'mkfifo']) requireProgram(program, path);
      const id = createId('sandbox');
      try {
        await record(spec, id);
        const sandboxes = await realpath(join(stateFolder, 'sandboxes'));
        const sandbox = await build(spec, id, join(sandboxes, id));
        if (!signal?.aborted) {
          logger.debug('sandbox.opened', { sandboxId: id, taskId: spec.taskId });
          return sandbox;
        }
        await sandbox[Symbol.asyncDispose]();
        throw signal.reason;
      } catch (error) {
        await removeTree(ledger.folderOf(id));
        await ledger.remove(id);
        throw openError(error, stateFolder, signal);
      }
    },
    sweep: ({ signal } = {}) => sweepSandboxes({ ledger, table, clock, logger, killGraceMs }, signal),
    async preflight({ signal } = {}) {
      await using sandbox = await this.open({ taskId: 'preflight' }, { signal });
      await sandbox.run('true', { signal });
    },
  };
}

const fixedCapabilities: Omit<SandboxCapabilities, 'pty'> = {
  isolation: 'none',
  keepsShellState: true,
  stdin: true,
  network: 'fixed',
  snapshot: false,
  resourceLimits: false,
  images: false,
};

function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // A number that no account has, as in many containers.
    if (systemErrorCode(error) === undefined) throw error;
    return 'user';
  }
}

function checkSpec(spec: SandboxSpec): void {
  checkVariables(spec.env ?? {});
  if (spec.allowNetwork !== false) return;
  throw new ConfigError(
    `The task ${spec.taskId} forbids the network, and the local backend cannot keep programs off it`,
    {
      code: 'config.unsupported',
      hint: 'Use a container backend, or allow the network for this task.',
    },
  );
}

async function startFolder(cwd: string | undefined, home: string): Promise<string> {
  if (cwd === undefined) return home;
  const folder = await resolveSandboxPath(cwd, home, home);
  // Inside the sandbox's own home nothing can be there yet.
  if (folder.startsWith(`${home}/`)) await mkdir(folder, { recursive: true });
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
  if (isTalariaError(error) || (signal?.aborted && error === signal.reason)) return error;
  const code = systemErrorCode(error);
  if (code === undefined) return error;
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
