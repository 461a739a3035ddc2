import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import {
  type Clock,
  ConfigError,
  type CreateId,
  createId as createRandomId,
  type Logger,
  silentLogger,
  systemClock,
  systemErrorCode,
} from '@talaria/core';
import type { TerminalBackend } from '../backend.ts';
import { createSandboxLedger } from '../ledger/sandbox-ledger.ts';
import type { SandboxCapabilities } from '../sandbox.ts';
import { checkVariables, createSandboxEnvironment, type EnvironmentPlaces } from '../sandbox-environment.ts';
import { findProgram } from './host-programs.ts';
import { listSandboxes } from './list-sandboxes.ts';
import { type LocalSetup, openLocalSandbox } from './open-local-sandbox.ts';
import { createProcessTable } from './process-table.ts';
import { removeSandbox } from './remove-sandbox.ts';
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

const defaultGraceMs = 2_000;

/**
 * Creates the backend that runs commands on this machine, each sandbox in a folder of its own. It isolates nothing: a
 * command can read and change whatever the user that runs Talaria can. The log says so once, as `sandbox.not-isolated`.
 * @throws ConfigError `config.invalid` for a relative `stateFolder`; `config.secret-variable`; `config.invalid-variable`
 */
export function createLocalBackend(options: LocalBackendOptions): TerminalBackend {
  const setup = createSetup(options);
  let hasTold = false;
  async function open(...[spec, { signal } = {}]: Parameters<TerminalBackend['open']>) {
    if (!hasTold) {
      hasTold = true;
      setup.logger.info('sandbox.not-isolated', {
        backend: 'local',
        hint: 'Commands run on this machine, as the user that runs Talaria: they can read and change whatever it can.',
      });
    }
    return await openLocalSandbox(spec, setup, signal);
  }
  return {
    kind: 'local',
    capabilities: setup.capabilities,
    open,
    sweep: ({ signal } = {}) => sweepSandboxes(setup, signal),
    list: ({ signal } = {}) => listSandboxes(setup.ledger, signal),
    remove: (id, { signal } = {}) => removeSandbox(id, setup, signal),
    async preflight({ signal } = {}) {
      await using sandbox = await open({ taskId: 'preflight' }, { signal });
      await sandbox.run('true', { signal });
    },
  };
}

function createSetup(options: LocalBackendOptions): LocalSetup {
  const { stateFolder, environment, env = {}, passthrough = [], allowSecretEnv = [] } = options;
  if (!isAbsolute(stateFolder)) {
    throw new ConfigError(`The state folder ${JSON.stringify(stateFolder)} of the local backend is not absolute`, {
      code: 'config.invalid',
      hint: 'Give an absolute path.',
    });
  }
  checkVariables(env);
  const source = { hostEnvironment: environment, passthrough, allowSecretEnv };
  const user = environment['USER'] || userName();
  const createEnvironment = (places: EnvironmentPlaces) => ({
    ...createSandboxEnvironment(source, { ...places, user }),
    ...env,
  });
  // A name that may not be passed on is the user's mistake, to be told of before a run starts.
  createEnvironment({ home: '/', temporaryFolder: '/' });
  const path = environment['PATH'];
  const script = process.platform === 'linux' ? findProgram('script', path) : null;
  return {
    stateFolder,
    createEnvironment,
    hostPath: path,
    script,
    capabilities: { ...fixedCapabilities, pty: script !== null },
    table: createProcessTable(process.platform),
    ledger: createSandboxLedger(stateFolder),
    killGraceMs: options.killGraceMs ?? defaultGraceMs,
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    createId: options.createId ?? createRandomId,
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
