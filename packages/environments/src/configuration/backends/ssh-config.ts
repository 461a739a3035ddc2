import { secretField } from '@talaria/config';
import { z } from 'zod';
import type { SchemaOf } from '../environment-config.ts';
import { flag, optionalText, wholeNumber } from '../field-schemas.ts';

/** The section `terminal.ssh`. `~/.ssh/config` is not read. */
export type SshConfig = {
  /** Name or address of the server. */
  readonly host: string | null;
  readonly port: number;
  /** `null`: the name of the user that runs the program. */
  readonly user: string | null;
  /** `null`: those of `id_ed25519`, `id_ecdsa`, `id_rsa` in `~/.ssh` that are there. */
  readonly key_path: string | null;
  readonly passphrase: string | null;
  readonly password: string | null;
  /** Ask the agent that `SSH_AUTH_SOCK` leads to. */
  readonly use_agent: boolean;
  /** `null`: `~/.ssh/known_hosts`. */
  readonly known_hosts_path: string | null;
  readonly host_key_policy: 'accept-new' | 'strict' | 'off';
  /** Server to go through: `[USER@]HOST[:PORT]`. */
  readonly jump: string | null;
  /** Key for that server; `null`: the same as for the other. */
  readonly jump_key_path: string | null;
  /** Seconds for a connect with its login. */
  readonly connect_timeout_sec: number;
  /** Most processes at once in one connection. */
  readonly max_sessions: number;
};

/** How `terminal.ssh.jump` is taken apart: user, host, port. */
export const jumpPattern: RegExp = /^(?:([^@\s]+)@)?(\[[0-9A-Fa-f:]+\]|[^@:\s[\]]+)(?::(\d{1,5}))?$/u;

/** Schema of the section `terminal.ssh`. */
export const sshConfigSchema: SchemaOf<SshConfig> = z
  .strictObject({
    host: optionalText('Name or address of the server.'),
    port: z.int().min(1).max(65_535).default(22).describe('Its port.'),
    user: optionalText('Account there; null: your own name.'),
    key_path: optionalText('File of the private key; null: the usual ones in ~/.ssh.'),
    passphrase: secretField('Opens that key, written as the name of a variable: $' + '{NAME}.'),
    password: secretField('For servers that take no key, written as the name of a variable: $' + '{NAME}.'),
    use_agent: flag(true, 'Ask the agent that SSH_AUTH_SOCK leads to.'),
    known_hosts_path: optionalText('File with keys of servers; null: ~/.ssh/known_hosts.'),
    host_key_policy: z
      .enum(['accept-new', 'strict', 'off'])
      .default('accept-new')
      .describe('Trust the first key of a server and refuse another; only keys that are known; any.'),
    jump: z
      .string()
      .regex(jumpPattern, 'Expected [USER@]HOST[:PORT]')
      .nullable()
      .default(null)
      .describe('Server to go through: [USER@]HOST[:PORT].'),
    jump_key_path: optionalText('File of the private key for that server; null: key_path.'),
    connect_timeout_sec: z.number().positive().default(10).describe('Seconds for a connect with its login.'),
    max_sessions: wholeNumber(8, 'Most processes at once in one connection (MaxSessions of the server).', 1),
  })
  .describe('another machine; ~/.ssh/config is not read');
