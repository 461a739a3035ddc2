import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError, errorMessage, type Logger, makeFolder, systemErrorCode } from '@talaria/core';
import {
  findKnownKeys,
  fingerprintOf,
  type HostKeyVerdict,
  hostKeyType,
  judgeHostKey,
  type KnownKeys,
  knownHostLine,
} from './known-hosts.ts';
import type { HostKeyPolicy } from './ssh-server.ts';

/** What is needed to check the keys of servers. */
export interface HostKeyCheckOptions {
  readonly policy: HostKeyPolicy;
  /** The `known_hosts` file. It need not exist yet. */
  readonly path: string;
  readonly logger: Logger;
}

/** Checks the key of one server. */
export interface HostKeyCheck {
  /** Types of the keys that are known, so that the server is asked for one of them. */
  readonly knownTypes: readonly string[];
  /** Resolves where the key may be trusted. @throws ConfigError `config.host-key-…` */
  check(key: Buffer): Promise<void>;
}

/** Reads what is known about a server, called as in `known_hosts`. @throws ConfigError `config.unreadable-file` */
export async function openHostKeyCheck(name: string, options: HostKeyCheckOptions): Promise<HostKeyCheck> {
  const { policy, path, logger } = options;
  if (policy === 'off') return { knownTypes: [], check: async () => undefined };
  const known = findKnownKeys(await readKnownHosts(path), name);
  return {
    knownTypes: [...new Set(known.trusted.map(({ key }) => hostKeyType(key)))],
    async check(key) {
      const verdict = judgeHostKey(known, key);
      if (verdict.kind === 'known') return;
      if (verdict.kind !== 'new' || policy === 'strict') throw refusal(verdict, { name, key, path });
      await rememberKey(path, name, key);
      logger.info('ssh.host-key-added', { host: name, fingerprint: fingerprintOf(key), path });
    },
  };
}

async function readKnownHosts(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return '';
    throw new ConfigError(`The file of known hosts ${path} cannot be read: ${errorMessage(error)}`, {
      code: 'config.unreadable-file',
      hint: 'Make it readable, or name another by knownHostsPath.',
      cause: error,
    });
  }
}

/** One write to the end of the file, so that programs that add to it at the same time do no harm to one another. */
async function rememberKey(path: string, name: string, key: Buffer): Promise<void> {
  try {
    await makeFolder(dirname(path), { mode: 0o700 });
    await using file = await open(path, 'a+', 0o600);
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isWhole = size === 0 || last.toString() === '\n';
    await file.write(`${isWhole ? '' : '\n'}${knownHostLine(name, key)}`);
    await file.sync();
  } catch (error) {
    throw new ConfigError(`The key of ${name} cannot be added to ${path}: ${errorMessage(error)}`, {
      code: 'config.unwritable-file',
      hint: 'Make the file writable, name another by knownHostsPath, or add the key there by hand.',
      cause: error,
    });
  }
}

interface ShownKey {
  readonly name: string;
  readonly key: Buffer;
  readonly path: string;
}

function refusal(verdict: Exclude<HostKeyVerdict, { kind: 'known' }>, { name, key, path }: ShownKey): ConfigError {
  const shown = `${hostKeyType(key)} ${fingerprintOf(key)}`;
  switch (verdict.kind) {
    case 'new':
      return new ConfigError(`The key of ${name} is not known: ${shown} is not in ${path}`, {
        code: 'config.host-key-unknown',
        hint: `Compare that with what the server's owner tells, and add it: ssh-keyscan ${scanArguments(name)} >> ${path}`,
      });
    case 'changed':
      return new ConfigError(
        `The key of ${name} has changed: it shows ${shown}, but ${path} says ${describeKeys(verdict.known)}`,
        {
          code: 'config.host-key-changed',
          hint: `Somebody may be in between. Only where the server was really set up anew: ssh-keygen -R '${name}' -f ${path}`,
        },
      );
    case 'revoked':
      return new ConfigError(`The key of ${name} is revoked: ${shown} is marked @revoked in ${path}`, {
        code: 'config.host-key-revoked',
        hint: 'Do not use this server until its owner has given it another key.',
      });
  }
}

function describeKeys(known: KnownKeys['trusted']): string {
  return known
    .map(({ key, lineNumber }) => `${hostKeyType(key)} ${fingerprintOf(key)} (line ${lineNumber})`)
    .join(', ');
}

function scanArguments(name: string): string {
  const [, host, port] = /^\[(.*)\]:(\d+)$/.exec(name) ?? [];
  return host === undefined ? name : `-p ${port} ${host}`;
}
