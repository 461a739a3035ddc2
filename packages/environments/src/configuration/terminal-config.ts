import { z } from 'zod';
import type { SchemaOf } from './environment-config.ts';
import { flag, optionalText, text, wholeNumber } from './field-schemas.ts';

/** The section `terminal`: where commands run. */
export type TerminalConfig = {
  /** One of the six kinds; the same as `env.terminal_backend`. */
  readonly backend: string;
  /** Seconds per command; the same as `env.terminal_timeout`. */
  readonly timeout_sec: number;
  /** Most seconds that a foreground command may ask for. */
  readonly max_foreground_sec: number;
  /** Hard maximum of a sandbox's life; the same as `env.terminal_lifetime`. */
  readonly max_lifetime_sec: number;
  readonly image: string | null;
  readonly cwd: string | null;
  readonly cpu: number | null;
  readonly memory_mb: number | null;
  readonly disk_mb: number | null;
  /** Whether programs inside may reach the network; `null`: as the backend has it. */
  readonly network: boolean | null;
  /** Variables for every command. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that are handed on. */
  readonly env_passthrough: readonly string[];
  /** Those of them that may hold secrets. */
  readonly allow_secret_env: readonly string[];
  /** Run what asks for a container, or is not known to be harmless, on this machine without one. */
  readonly allow_local: boolean;
  /** Folder for sandboxes and what is known about them; `null`: that of the program. */
  readonly state_dir: string | null;
  readonly max_concurrent_sandboxes: number;
  readonly max_concurrent_creates: number;
};

/** Schema of the section `terminal`. */
export const terminalConfigSchema: SchemaOf<TerminalConfig> = z
  .strictObject({
    backend: text('local', 'Where commands run: local, docker, ssh, modal, singularity or daytona.'),
    timeout_sec: z.number().positive().default(120).describe('Seconds per command.'),
    max_foreground_sec: z.number().positive().default(600).describe('Most seconds that a command may ask for.'),
    max_lifetime_sec: z.number().positive().default(3600).describe('Most seconds that a sandbox lives.'),
    image: optionalText('Container image, where the item names none.'),
    cwd: optionalText('Folder in which commands start; the default is the home folder.'),
    cpu: z.number().positive().nullable().default(null).describe('Processors, where the backend can limit them.'),
    memory_mb: z.int().min(1).nullable().default(null).describe('Memory in MiB, where the backend can limit it.'),
    disk_mb: z.int().min(1).nullable().default(null).describe('Disk in MiB, where the backend can limit it.'),
    network: z.boolean().nullable().default(null).describe('Whether programs may reach the network.'),
    env: z.record(z.string(), z.string()).default({}).describe('Variables for every command.'),
    env_passthrough: z.array(z.string()).default([]).describe('Variables that are handed on to commands.'),
    allow_secret_env: z.array(z.string()).default([]).describe('Those handed on although they look secret.'),
    allow_local: flag(false, 'Run on this machine, without a container, what is not known to be harmless.'),
    state_dir: optionalText('Folder for sandboxes; null: talaria in the folder for state of this user.'),
    max_concurrent_sandboxes: wholeNumber(64, 'Sandboxes at the same time.', 1),
    max_concurrent_creates: wholeNumber(8, 'Sandboxes being opened at the same time.', 1),
  })
  .describe('where commands run');
