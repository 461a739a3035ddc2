import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, quoteShell } from '@talaria/core';
import type { TerminalConfig } from '@talaria/environments';
import type { SshServer } from '@talaria/terminal-backends/ssh';
import { readServer } from '../backends/open-ssh.ts';
import type { Host } from '../host.ts';
import { type BackendFinding, broken, missing, usable } from './backend-probe.ts';
import type { FindPeerPackage } from './find-package.ts';
import { judgePackage } from './judge-package.ts';
import { readSshBanner } from './read-ssh-banner.ts';

const usualKeys = ['id_ed25519', 'id_ecdsa', 'id_rsa'];

/** Looks for the package; where a server is configured, for a key too, and whether the server answers. Nobody logs in. */
export async function probeSsh(
  host: Host,
  { ssh }: TerminalConfig,
  findPeer: FindPeerPackage,
): Promise<BackendFinding> {
  const found = await findPeer('ssh2');
  const packageFault = judgePackage(found);
  if (packageFault !== null) return packageFault;
  const version = `ssh2 ${found.version}`;
  if (ssh.host === null) {
    return usable(version, 'sandboxes on another machine; TERMINAL_SSH_HOST (terminal.ssh.host) names it');
  }
  const server = readServer(ssh, host);
  const fault = await findKeyFault(server, host);
  if (fault !== null) return fault;
  const { host: name, port = 22, user } = server.jump ?? server;
  const address = `${user}@${name}:${port}`;
  try {
    return usable(version, `sandboxes on ${address}, which answers as ${await readSshBanner({ host: name, port })}`);
  } catch (error) {
    const hint = 'Start its SSH server, or correct TERMINAL_SSH_HOST and TERMINAL_SSH_PORT';
    return broken(`${address} does not answer: ${errorMessage(error)}`, hint);
  }
}

/** What is wrong with the way to log in; `null` where there is something to show. */
async function findKeyFault(server: SshServer, host: Host): Promise<BackendFinding | null> {
  const { privateKeyPath, password, agentSocket } = server;
  if (privateKeyPath !== undefined) {
    try {
      await access(privateKeyPath, constants.R_OK);
      return null;
    } catch (error) {
      return broken(`the key cannot be read: ${errorMessage(error)}`, `Correct TERMINAL_SSH_KEY (${privateKeyPath})`);
    }
  }
  if (password !== undefined || (agentSocket === undefined && (host.variables['SSH_AUTH_SOCK'] ?? '') !== ''))
    return null;
  const paths = usualKeys.map((key) => join(host.homeFolder, '.ssh', key));
  const readable = await Promise.all(paths.map(isReadable));
  if (readable.includes(true)) return null;
  const command = ['ssh-keygen', '-t', 'ed25519', '-f', join(host.homeFolder, '.ssh', 'id_ed25519')];
  return missing('there is no key, no agent and no password', quoteShell(command));
}

async function isReadable(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK);
    return true;
  } catch {
    // Absent or forbidden: no key to log in with.
    return false;
  }
}
