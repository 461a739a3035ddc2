import { z } from 'zod';
import type { SchemaOf } from '../environment-config.ts';
import { flag, optionalText, wholeNumber } from '../field-schemas.ts';
import { volumePattern } from './docker-config.ts';

/** The section `terminal.singularity`. */
export type SingularityConfig = {
  /** Name or path of the program; `null`: `apptainer`, else `singularity`. */
  readonly program: string | null;
  /** Folder for the files of sandboxes; `null`: the folder for state. */
  readonly scratch_dir: string | null;
  /** Folder for images that were built; `null`: `images` in the folder for state. */
  readonly cache_dir: string | null;
  /** Who may pull images that are built; `null`: nobody in particular. */
  readonly registry_username: string | null;
  /** Name of the variable that holds the password or token. */
  readonly registry_password_variable: string | null;
  /** Seconds within which an image must be built. */
  readonly build_timeout_sec: number;
  /** How sandboxes can change their files; `null`: the first that works here. */
  readonly writable: 'overlay' | 'sandbox' | 'overlay-image' | 'tmpfs' | null;
  /** `SOURCE:/TARGET[:ro]`. */
  readonly volumes: readonly string[];
  /** Be root inside; `null`: where this machine allows it. */
  readonly fakeroot: boolean | null;
  /** Show the graphics cards of NVIDIA. */
  readonly nvidia: boolean;
  /** Most processes and threads of a sandbox, where the machine can limit them. */
  readonly max_processes: number;
  /** Warn before a run where the files of sandboxes and images take more. */
  readonly disk_warn_gb: number;
};

/** Schema of the section `terminal.singularity`. */
export const singularityConfigSchema: SchemaOf<SingularityConfig> = z
  .strictObject({
    program: optionalText('Name or path of the program; null: apptainer, else singularity.'),
    scratch_dir: optionalText('Folder for the files of sandboxes, on no network; null: the folder for state.'),
    cache_dir: optionalText('Folder for images that were built; null: images in the folder for state.'),
    registry_username: optionalText('Login for the registry that images are built from.'),
    registry_password_variable: optionalText('Its password, written as the name of a variable.'),
    build_timeout_sec: z.number().positive().default(1800).describe('Seconds within which an image must be built.'),
    writable: z
      .enum(['overlay', 'sandbox', 'overlay-image', 'tmpfs'])
      .nullable()
      .default(null)
      .describe(
        'Changes go into a folder over the image, a copy, a file of limited size, or memory; null: what works here.',
      ),
    volumes: z
      .array(z.string().regex(volumePattern, 'Expected SOURCE:/TARGET or SOURCE:/TARGET:ro'))
      .default([])
      .describe('Folders that sandboxes see: SOURCE:/TARGET[:ro].'),
    fakeroot: z.boolean().nullable().default(null).describe('Be root inside; null: where this machine allows it.'),
    nvidia: flag(false, 'Show the graphics cards of NVIDIA.'),
    max_processes: wholeNumber(512, 'Most processes and threads of a sandbox, where they can be limited.', 1),
    disk_warn_gb: z
      .number()
      .positive()
      .default(500)
      .describe('Warn before a run where sandboxes and images take more.'),
  })
  .describe('instances of Apptainer or Singularity');
