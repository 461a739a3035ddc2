import { ConfigError, errorMessage, SandboxError, systemErrorCode, type TalariaError } from '@talaria/core';
import { describeServer, type SshLogin } from './ssh-server.ts';

/** What is known of an attempt that failed. */
export interface FailedConnect {
  readonly login: SshLogin;
  /** What was tried to log in with, in words. */
  readonly credentials: string;
}

/** Makes what ssh2 or the network said of a connect into an error that says what to do. */
export function connectError(error: unknown, { login, credentials }: FailedConnect): TalariaError {
  const server = describeServer(login);
  const message = errorMessage(error);
  if (levelOf(error) === 'client-authentication') {
    return new ConfigError(`The server ${server} takes none of what was tried to log in: ${credentials}`, {
      code: 'config.login-refused',
      hint: `See whether this works on this machine: ssh -p ${login.port ?? 22} ${login.user}@${login.host} true`,
      cause: error,
    });
  }
  if (systemErrorCode(error) === 'ENOTFOUND') {
    return new ConfigError(`There is no machine called ${login.host}`, {
      code: 'config.unknown-host',
      hint: 'Look for a typing error in host (terminal.ssh.host). Names from ~/.ssh/config do not count.',
      cause: error,
    });
  }
  if (message.startsWith('Handshake failed')) {
    return new ConfigError(`The server ${server} and Talaria know no common way to talk: ${message}`, {
      code: 'config.unsupported',
      hint: 'The server is very old or very strict; allow it curve25519-sha256 and aes128-gcm@openssh.com.',
      cause: error,
    });
  }
  return unreachableError(server, error);
}

/** What helps, by what the system says. */
const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start the SSH server there, or correct the port (terminal.ssh.port).',
  ETIMEDOUT: 'See whether a firewall is in between, and whether the machine is up.',
  EHOSTUNREACH: 'See whether the machine is up, and whether this one has a way to it.',
  ENETUNREACH: 'See whether this machine is connected to that network.',
};

function unreachableError(server: string, error: unknown): SandboxError {
  const message = errorMessage(error);
  const isDropped = isDroppedConnect(error);
  return new SandboxError(`The SSH server ${server} cannot be reached: ${message || systemErrorCode(error)}`, {
    backend: 'ssh',
    code: 'sandbox.unreachable',
    phase: 'create',
    started: false,
    retryable: true,
    hint: isDropped
      ? 'It may have too many logins at once (MaxStartups in sshd_config), or refuse this address.'
      : (hints[systemErrorCode(error) ?? ''] ?? 'See whether the machine is up and its SSH server answers.'),
    cause: error,
  });
}

/** Whether the server took the connection and gave it up before it said anything, as one does that is overrun. */
export function isDroppedConnect(error: unknown): boolean {
  return /Connection lost before handshake/.test(errorMessage(error)) || systemErrorCode(error) === 'ECONNRESET';
}

/** The part of ssh2 that an error comes from. */
export function levelOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('level' in error)) return undefined;
  return typeof error.level === 'string' ? error.level : undefined;
}
