import { z } from 'zod';
import type { SchemaOf } from '../environment-config.ts';
import { flag, optionalText, textList } from '../field-schemas.ts';

/** The section `terminal.singularity`. */
export type SingularityConfig = {
  /** The program; `null`: `apptainer`, else `singularity`. */
  readonly program: string | null;
  /** Folder for sandboxes; `null`: one below the folder for state. */
  readonly scratch_dir: string | null;
  /** Folder for images; `null`: `APPTAINER_CACHEDIR`, else one below `scratch_dir`. */
  readonly cache_dir: string | null;
  /** `SOURCE:/TARGET[:ro]`. */
  readonly volumes: readonly string[];
  /** Be root inside; `null`: where this machine allows it. */
  readonly fakeroot: boolean | null;
  /** Show the graphics cards of NVIDIA. */
  readonly nvidia: boolean;
  /** Warn where `scratch_dir` holds more. */
  readonly disk_warn_gb: number;
};

/** Schema of the section `terminal.singularity`. */
export const singularityConfigSchema: SchemaOf<SingularityConfig> = z
  .strictObject({
    program: optionalText('The program; null: apptainer, else singularity.'),
    scratch_dir: optionalText('Folder for sandboxes; null: one in the folder for state.'),
    cache_dir: optionalText('Folder for images; null: APPTAINER_CACHEDIR, else one below scratch_dir.'),
    volumes: textList('Folders that sandboxes see: SOURCE:/TARGET[:ro].'),
    fakeroot: z.boolean().nullable().default(null).describe('Be root inside; null: where this machine allows it.'),
    nvidia: flag(false, 'Show the graphics cards of NVIDIA.'),
    disk_warn_gb: z.number().positive().default(500).describe('Warn where scratch_dir holds more gigabytes.'),
  })
  .describe('containers of Apptainer or Singularity');
