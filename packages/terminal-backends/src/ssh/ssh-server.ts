import type { Secret } from '@talaria/core';

/** How to log in to one server. `~/.ssh/config` is not read: what it says must be said here. */
export interface SshLogin {
  /** Name or address. */
  readonly host: string;
  /** @default 22 */
  readonly port?: number | undefined;
  readonly user: string;
  /**
   * File of a private key. @default where no password is given either, those of `id_ed25519`, `id_ecdsa` and `id_rsa` in
   * `~/.ssh` that are there
   */
  readonly privateKeyPath?: string | undefined;
  /** Opens a private key that is encrypted. */
  readonly passphrase?: Secret | undefined;
  /** Socket of an SSH agent; `null` for none. @default `SSH_AUTH_SOCK` of the host's variables */
  readonly agentSocket?: string | null | undefined;
  /** For servers that take no key; also given to a server that asks for it by keyboard-interactive. */
  readonly password?: Secret | undefined;
}

/** A server, and the one through which it is reached. */
export interface SshServer extends SshLogin {
  /** Server through which the connection goes (`ProxyJump`). It needs to allow TCP forwarding. @default none */
  readonly jump?: SshServer | undefined;
}

/** What to do about the key by which a server proves who it is. */
export type HostKeyPolicy = 'accept-new' | 'strict' | 'off';

/** Port where a login names none. */
export const defaultSshPort = 22;

/** `user@host`, with the port where it is another than usual: for messages. */
export function describeServer({ host, port = defaultSshPort, user }: SshLogin): string {
  return port === defaultSshPort ? `${user}@${host}` : `${user}@${host}:${port}`;
}

/** As servers are called in `known_hosts`. */
export function knownHostsName({ host, port = defaultSshPort }: SshLogin): string {
  const name = host.toLowerCase();
  return port === defaultSshPort ? name : `[${name}]:${port}`;
}
