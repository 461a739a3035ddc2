import { secretField } from '@talaria/config';
import { z } from 'zod';
import type { SchemaOf } from '../environment-config.ts';
import { optionalNumber, optionalText, text, textList } from '../field-schemas.ts';

/** The section `terminal.modal`. */
export type ModalConfig = {
  /** `null`: that of the profile in `~/.modal.toml`. */
  readonly token_id: string | null;
  readonly token_secret: string | null;
  /** A part of a workspace; `null`: that of the profile. */
  readonly environment: string | null;
  /** App that the sandboxes belong to; made if it is not there. */
  readonly app_name: string;
  /** Name of a Modal secret with the login for the registry of the images. */
  readonly registry_secret: string | null;
  /** Lines of a Dockerfile that every image is extended by. */
  readonly setup_commands: readonly string[];
  /** Most cores; `null`: `terminal.cpu`. */
  readonly cpu_limit: number | null;
  /** Most memory; `null`: `terminal.memory_mb`. */
  readonly memory_limit_mb: number | null;
  /** For example `T4`, or `A100-80GB:2`. */
  readonly gpu: string | null;
  readonly regions: readonly string[];
  /** Networks that programs may reach; empty: all. */
  readonly allowed_cidrs: readonly string[];
  /** Names that programs may reach; empty: all. */
  readonly allowed_domains: readonly string[];
  /** Seconds without a process after which Modal ends a sandbox. */
  readonly idle_timeout_sec: number | null;
};

/** Schema of the section `terminal.modal`. */
export const modalConfigSchema: SchemaOf<ModalConfig> = z
  .strictObject({
    token_id: optionalText('Id of the token; null: that of the profile in ~/.modal.toml.'),
    token_secret: secretField('Its secret, written as the name of a variable: $' + '{NAME}.'),
    environment: optionalText('Environment of the workspace; null: that of the profile.'),
    app_name: text('talaria', 'App that the sandboxes belong to.'),
    registry_secret: optionalText('Name of a Modal secret with the login for the registry of the images.'),
    setup_commands: textList('Lines of a Dockerfile that every image is extended by: RUN pip install ….'),
    cpu_limit: optionalNumber('Most cores of a sandbox; null: terminal.cpu.'),
    memory_limit_mb: z.int().min(1).nullable().default(null).describe('Most memory in MiB; null: terminal.memory_mb.'),
    gpu: optionalText('For example T4, or A100-80GB:2.'),
    regions: textList('Regions to run in, for example us-east; empty: any.'),
    allowed_cidrs: textList('Networks that programs may reach, for example 10.0.0.0/8; empty: all.'),
    allowed_domains: textList('Names that programs may reach, for example *.pypi.org; empty: all.'),
    idle_timeout_sec: optionalNumber('Seconds without a process after which Modal ends a sandbox; null: never.'),
  })
  .describe('sandboxes of modal.com');
