import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';
import type { AnyAuthMethod, ParsedKey } from 'ssh2';
import type { Ssh2 } from './load-ssh2.ts';
import type { SshLogin } from './ssh-server.ts';

/** What proves to a server who logs in. */
export interface SshCredentials {
  readonly methods: readonly AnyAuthMethod[];
  /** What will be tried, in words: for the message when none is taken. */
  readonly description: string;
}

/** Where credentials are looked for that a login does not name. */
export interface CredentialPlaces {
  /** Folder of the user's SSH files; `null` for none. */
  readonly sshFolder: string | null;
  /** Socket of an agent. */
  readonly agentSocket: string | undefined;
}

const defaultKeyNames = ['id_ed25519', 'id_ecdsa', 'id_rsa'];

/** Collects them: keys, then the agent, then the password. @throws ConfigError where a named key cannot be used */
export async function readCredentials(login: SshLogin, places: CredentialPlaces, ssh2: Ssh2): Promise<SshCredentials> {
  const { user: username, password, privateKeyPath } = login;
  const methods: AnyAuthMethod[] = [];
  const words: string[] = [];
  if (privateKeyPath !== undefined) {
    methods.push({ type: 'publickey', username, key: await readKey(privateKeyPath, login, ssh2) });
    words.push(`the key ${privateKeyPath}`);
  } else if (password === undefined && places.sshFolder !== null) {
    for (const { path, key } of await findDefaultKeys(places.sshFolder, login, ssh2)) {
      methods.push({ type: 'publickey', username, key });
      words.push(`the key ${path}`);
    }
  }
  const agent = login.agentSocket === undefined ? places.agentSocket : login.agentSocket;
  if (agent) {
    methods.push({ type: 'agent', username, agent });
    words.push(`the agent at ${agent}`);
  } else words.push('no agent');
  if (password !== undefined) {
    methods.push({ type: 'password', username, password: password.reveal() });
    methods.push({
      type: 'keyboard-interactive',
      username,
      prompt: (_name, _instructions, _language, prompts, finish) => finish(prompts.map(() => password.reveal())),
    });
    words.push('a password');
  }
  return { methods, description: words.join(', ') };
}

async function readKey(path: string, login: SshLogin, ssh2: Ssh2): Promise<ParsedKey> {
  let text: Buffer;
  try {
    text = await readFile(path);
  } catch (error) {
    const isMissing = systemErrorCode(error) === 'ENOENT';
    throw new ConfigError(`The private key ${path} cannot be read: ${errorMessage(error)}`, {
      code: isMissing ? 'config.missing-file' : 'config.unreadable-file',
      hint: 'Name the file of the private key (not the one that ends in .pub) by privateKeyPath (terminal.ssh.key_path).',
      cause: error,
    });
  }
  const key = parseKey(text, login, ssh2);
  if (typeof key !== 'string') return key;
  throw new ConfigError(`The private key ${path} cannot be used: ${key}`, {
    code: 'config.invalid-key',
    hint: /passphrase/i.test(key)
      ? 'Give its passphrase, or load it into an SSH agent.'
      : 'Name the file of a private key in the format of OpenSSH, PEM or PuTTY.',
  });
}

/** The key, or why it is none. */
function parseKey(text: Buffer, { passphrase }: SshLogin, { utils }: Ssh2): ParsedKey | string {
  // Declared as one key, but a file may hold several; the first is the one that counts.
  const parsed: unknown = utils.parseKey(text, passphrase?.reveal());
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isParsedKey(first)) return errorMessage(first);
  return first.isPrivateKey() ? first : 'it is a public key';
}

function isParsedKey(value: unknown): value is ParsedKey {
  return typeof value === 'object' && value !== null && 'isPrivateKey' in value;
}

/** Keys that are not there, or are encrypted, are passed over: nobody has named them. */
async function findDefaultKeys(
  folder: string,
  login: SshLogin,
  ssh2: Ssh2,
): Promise<readonly { readonly path: string; readonly key: ParsedKey }[]> {
  const found = await Promise.all(
    defaultKeyNames.map(async (name) => {
      const path = join(folder, name);
      const text = await readFile(path).catch(() => null);
      const key = text === null ? '' : parseKey(text, login, ssh2);
      return typeof key === 'string' ? null : { path, key };
    }),
  );
  return found.filter((entry) => entry !== null);
}
