import { z } from 'zod';
import { type DaytonaConfig, daytonaConfigSchema } from './backends/daytona-config.ts';
import { type DockerConfig, dockerConfigSchema } from './backends/docker-config.ts';
import { type ModalConfig, modalConfigSchema } from './backends/modal-config.ts';
import { type SingularityConfig, singularityConfigSchema } from './backends/singularity-config.ts';
import { type SshConfig, sshConfigSchema } from './backends/ssh-config.ts';
import type { SchemaOf } from './environment-config.ts';
import { countAtOnce, flag, optionalNumber, optionalText, text, textList, wholeNumber } from './field-schemas.ts';

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
  /** Where the item names none; `null`: {@link defaultImage}, where the backend has images. */
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
  /** Most sandboxes that are begun in a second; `null`: what the backend can bear. */
  readonly max_creates_per_sec: number | null;
  /** Sandboxes of each of `warm_images` that are held ready ahead of the rollouts. */
  readonly warm: number;
  /** Empty: the image of the configuration. */
  readonly warm_images: readonly string[];
  /** What is done, before anything else, with the images that are known to be needed. */
  readonly preflight: 'exists' | 'pull' | 'start' | 'off';
  readonly docker: DockerConfig;
  readonly ssh: SshConfig;
  readonly modal: ModalConfig;
  readonly singularity: SingularityConfig;
  readonly daytona: DaytonaConfig;
};

/** Image of sandboxes whose item and configuration name none: upstream's, with Python and Node. */
export const defaultImage = 'nikolaik/python-nodejs:python3.11-nodejs20';

/** Schema of the section `terminal`. */
export const terminalConfigSchema: SchemaOf<TerminalConfig> = z
  .strictObject({
    backend: text('local', 'Where commands run: local, docker, ssh, modal, singularity or daytona.'),
    timeout_sec: z.number().positive().default(120).describe('Seconds per command.'),
    max_foreground_sec: z.number().positive().default(600).describe('Most seconds that a command may ask for.'),
    max_lifetime_sec: z.number().positive().default(3600).describe('Most seconds that a sandbox lives.'),
    image: optionalText(`Container image, where the item names none; null: ${defaultImage}.`),
    cwd: optionalText('Folder in which commands start; the default is the home folder.'),
    cpu: z.number().positive().nullable().default(null).describe('Processors, where the backend can limit them.'),
    memory_mb: z.int().min(1).nullable().default(null).describe('Memory in MiB, where the backend can limit it.'),
    disk_mb: z.int().min(1).nullable().default(null).describe('Disk in MiB, where the backend can limit it.'),
    network: z.boolean().nullable().default(null).describe('Whether programs may reach the network.'),
    env: z.record(z.string(), z.string()).default({}).describe('Variables for every command.'),
    env_passthrough: textList('Variables that are handed on to commands.'),
    allow_secret_env: textList('Those handed on although they look secret.'),
    allow_local: flag(false, 'Run on this machine, without a container, what is not known to be harmless.'),
    state_dir: optionalText('Folder for sandboxes; null: talaria in the folder for state of this user.'),
    max_concurrent_sandboxes: wholeNumber(64, 'Sandboxes at the same time.', 1),
    max_concurrent_creates: wholeNumber(8, 'Sandboxes being opened at the same time.', 1),
    max_creates_per_sec: optionalNumber('Sandboxes begun in a second; null: what the backend can bear.'),
    warm: countAtOnce(0, 'Sandboxes held ready ahead of the rollouts, of each of warm_images.', 0),
    warm_images: textList('Their images; empty: the one of the configuration.'),
    preflight: z
      .enum(['exists', 'pull', 'start', 'off'])
      .default('exists')
      .describe('Before a run, for all images that are known: look for them, bring them, open a sandbox, or nothing.'),
    docker: dockerConfigSchema.default(dockerConfigSchema.parse({})),
    ssh: sshConfigSchema.default(sshConfigSchema.parse({})),
    modal: modalConfigSchema.default(modalConfigSchema.parse({})),
    singularity: singularityConfigSchema.default(singularityConfigSchema.parse({})),
    daytona: daytonaConfigSchema.default(daytonaConfigSchema.parse({})),
  })
  .describe('where commands run');
