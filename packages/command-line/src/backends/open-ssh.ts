import { userInfo } from 'node:os';
import { jumpPattern, type SshConfig } from '@talaria/environments';
import { createSshBackend, type SshBackendOptions, type SshServer } from '@talaria/terminal-backends/ssh';
import type { Host } from '../host.ts';
import type { OpenedBackend } from './opened-backend.ts';
import { type BackendSource, hostPath, secretOf, sharedOptions, toMs } from './shared-options.ts';

/** Creates the ssh backend from settings. */
export function openSsh(source: BackendSource): OpenedBackend {
  return createSshBackend(readSshOptions(source));
}

/** The options that settings stand for. */
export function readSshOptions(source: BackendSource): SshBackendOptions {
  const { host, config } = source;
  const { ssh } = config;
  return {
    ...sharedOptions(source),
    ...readServer(ssh, host),
    hostKeyPolicy: ssh.host_key_policy,
    knownHostsPath: hostPath(host, ssh.known_hosts_path),
    connectTimeoutMs: toMs(ssh.connect_timeout_sec),
    maxSessionsPerConnection: ssh.max_sessions,
  };
}

/** The server of the configuration, with the one through which it is reached. */
export function readServer(ssh: SshConfig, host: Host): SshServer {
  const user = ssh.user ?? userInfo().username;
  const login = {
    passphrase: secretOf('terminal.ssh.passphrase', ssh.passphrase),
    password: secretOf('terminal.ssh.password', ssh.password),
    agentSocket: ssh.use_agent ? undefined : null,
  };
  const privateKeyPath = hostPath(host, ssh.key_path);
  const server = { ...login, host: ssh.host ?? '', port: ssh.port, user, privateKeyPath };
  if (ssh.jump === null) return server;
  const [, jumpUser = user, jumpHost = '', jumpPort] = jumpPattern.exec(ssh.jump) ?? [];
  const jump: SshServer = {
    ...login,
    host: jumpHost.replace(/^\[|\]$/gu, ''),
    port: jumpPort === undefined ? undefined : Number(jumpPort),
    user: jumpUser,
    privateKeyPath: hostPath(host, ssh.jump_key_path) ?? privateKeyPath,
  };
  return { ...server, jump };
}
