import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import {
  type Clock,
  ConfigError,
  type CreateId,
  createId as createRandomId,
  type Logger,
  silentLogger,
  systemClock,
} from '@talaria/core';
import type { TerminalBackend } from '../backend.ts';
import { createSandboxLedger } from '../ledger/sandbox-ledger.ts';
import type { SandboxCapabilities } from '../sandbox.ts';
import { checkVariables, createSandboxEnvironment } from '../sandbox-environment.ts';
import { type ConnectOptions, connectSsh } from './connect-ssh.ts';
import { listSshSandboxes } from './list-ssh-sandboxes.ts';
import { loadSsh2 } from './load-ssh2.ts';
import { openSshSandbox, placeTools, type SshSetup } from './open-ssh-sandbox.ts';
import { createSshConnections, type SshConnections } from './ssh-connections.ts';
import type { PlaceTools } from './ssh-place.ts';
import { defaultSshPort, type HostKeyPolicy, type SshServer } from './ssh-server.ts';
import { removeSshSandbox, sweepSshSandboxes } from './sweep-ssh-sandboxes.ts';

/** Options of {@link createSshBackend}. */
export interface SshBackendOptions extends SshServer {
  /** Absolute folder for the ledger of sandboxes. Processes may share it. Made if it is not there. */
  readonly stateFolder: string;
  /** Variables of this machine: `HOME` and `SSH_AUTH_SOCK` are used; a sandbox gets only what `passthrough` names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables of this machine to hand on. @default none */
  readonly passthrough?: readonly string[] | undefined;
  /** Names in `passthrough` that look like secrets and are meant all the same. @default none */
  readonly allowSecretEnv?: readonly string[] | undefined;
  /** Variables with their values for every sandbox. @default none */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * `accept-new` trusts the key that a server shows first and writes it down, and refuses another one later; `strict`
   * trusts only keys that are in the file already; `off` trusts whoever answers. @default 'accept-new'
   */
  readonly hostKeyPolicy?: HostKeyPolicy | undefined;
  /** Absolute path of the file with keys of servers. @default `~/.ssh/known_hosts` */
  readonly knownHostsPath?: string | undefined;
  /** Time for a connect with its login, in milliseconds. @default 10_000 */
  readonly connectTimeoutMs?: number | undefined;
  /** How often a silent server is asked whether it is still there, in milliseconds. @default 15_000 */
  readonly keepAliveIntervalMs?: number | undefined;
  /** After how many unanswered questions the connection counts as lost. @default 4 */
  readonly keepAliveLimit?: number | undefined;
  /** Most processes at once in one connection; a server that allows less is noticed (`MaxSessions`). @default 8 */
  readonly maxSessionsPerConnection?: number | undefined;
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
const defaultConnectTimeoutMs = 10_000;
const defaultKeepAliveIntervalMs = 15_000;
const defaultKeepAliveLimit = 4;
const defaultMaxSessions = 8;

const capabilities: SandboxCapabilities = {
  isolation: 'none',
  keepsShellState: true,
  stdin: true,
  pty: true,
  network: 'fixed',
  snapshot: false,
  resourceLimits: false,
  images: false,
};

/**
 * Creates the backend that runs commands on a Linux machine over SSH, each sandbox in a folder of its own below
 * `~/.talaria/tasks`. It isolates nothing from that machine: a command can read and change whatever the account can.
 * Needs the package `ssh2`. `~/.ssh/config` is not read.
 * @throws ConfigError `config.invalid` for paths that are not absolute and numbers that make no sense;
 * `config.secret-variable`; `config.invalid-variable`
 */
export function createSshBackend(options: SshBackendOptions): TerminalBackend {
  checkOptions(options);
  const setup = createSetup(options);
  async function open(...[spec, { signal } = {}]: Parameters<TerminalBackend['open']>) {
    return await openSshSandbox(spec, setup, signal);
  }
  /** Without a sandbox, nobody holds the connections open. */
  async function withTools<Result>(work: (tools: PlaceTools) => Promise<Result>): Promise<Result> {
    const connections = await setup.connections();
    await using _hold = connections.hold();
    return await work(placeTools(connections, setup));
  }
  return {
    kind: 'ssh',
    capabilities,
    open,
    sweep: ({ signal } = {}) => withTools((tools) => sweepSshSandboxes(setup, tools, signal)),
    list: ({ signal } = {}) => withTools((tools) => listSshSandboxes(tools, signal)),
    remove: (id, { signal } = {}) => withTools((tools) => removeSshSandbox(id, setup, tools, signal)),
    async preflight({ signal } = {}) {
      await using sandbox = await open({ taskId: 'preflight' }, { signal });
      await sandbox.run('true', { signal });
    },
  };
}

function createSetup(options: SshBackendOptions): SshSetup {
  const { host, port = defaultSshPort, user, environment, env = {} } = options;
  const source = {
    hostEnvironment: environment,
    passthrough: options.passthrough ?? [],
    allowSecretEnv: options.allowSecretEnv ?? [],
  };
  checkVariables(env);
  // A name that may not be passed on is the user's mistake, to be told of before a run starts.
  createSandboxEnvironment(source, { home: '/', temporaryFolder: '/', user });
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? silentLogger;
  return {
    server: `${user}@${host}:${port}`,
    connections: openOnce(options, { clock, logger }),
    capabilities,
    source,
    env,
    ledger: createSandboxLedger(options.stateFolder),
    killGraceMs: options.killGraceMs ?? defaultGraceMs,
    clock,
    logger,
    createId: options.createId ?? createRandomId,
  };
}

/** The connections of the backend, made once the package is loaded, which is when they are needed first. */
function openOnce(
  options: SshBackendOptions,
  { clock, logger }: Pick<ConnectOptions, 'clock' | 'logger'>,
): () => Promise<SshConnections> {
  const { environment, hostKeyPolicy = 'accept-new', knownHostsPath } = options;
  const sshFolder = join(environment['HOME'] || homedir(), '.ssh');
  async function create(): Promise<SshConnections> {
    const connectOptions: ConnectOptions = {
      ssh2: await loadSsh2(),
      hostKeys: { policy: hostKeyPolicy, path: knownHostsPath ?? join(sshFolder, 'known_hosts'), logger },
      credentials: { sshFolder, agentSocket: environment['SSH_AUTH_SOCK'] },
      connectTimeoutMs: options.connectTimeoutMs ?? defaultConnectTimeoutMs,
      keepAliveIntervalMs: options.keepAliveIntervalMs ?? defaultKeepAliveIntervalMs,
      keepAliveLimit: options.keepAliveLimit ?? defaultKeepAliveLimit,
      clock,
      logger,
    };
    return createSshConnections({
      connect: (signal) => connectSsh(options, connectOptions, signal),
      maxSessions: options.maxSessionsPerConnection ?? defaultMaxSessions,
      clock,
      logger,
    });
  }
  let created: Promise<SshConnections> | null = null;
  return () => {
    created ??= create().catch((error: unknown) => {
      // Installed meanwhile, the package is found the next time.
      created = null;
      throw error;
    });
    return created;
  };
}

const numbers = ['connectTimeoutMs', 'keepAliveIntervalMs', 'keepAliveLimit', 'maxSessionsPerConnection'] as const;

function checkOptions(options: SshBackendOptions): void {
  if (options.host === '' || options.user === '') {
    throw invalid('The ssh backend needs a host and a user', 'Set both (terminal.ssh.host and terminal.ssh.user).');
  }
  for (const name of ['stateFolder', 'privateKeyPath', 'knownHostsPath'] as const) {
    const path = options[name];
    if (path === undefined || isAbsolute(path)) continue;
    throw invalid(
      `The path ${name} ${JSON.stringify(path)} of the ssh backend is not absolute`,
      'Give an absolute path.',
    );
  }
  for (const name of numbers) {
    const value = options[name];
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue;
    throw invalid(`The option ${name} of the ssh backend is ${value}`, 'Give a whole number from 1 on.');
  }
}

function invalid(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.invalid', hint });
}
