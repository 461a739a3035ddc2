import { describeFields, type FieldDescription } from '@talaria/config';
import type { JsonObject } from '@talaria/core';
import type { DriverName } from '@talaria/environments';
import { z } from 'zod';

/** Flags of the command itself, which are no configuration of the run. */
export interface CommandFlags {
  /** What a line of the output is. */
  readonly rows: 'group' | 'rollout';
  /** Evaluate only the first so many items. */
  readonly maxItems: number | null;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  readonly isPlain: boolean;
}

const sharedFields = {
  config: z.string().optional().describe('YAML file with sections env, openai, terminal and tools.'),
  output: z.string().optional().describe('Folder of the run; the default is a new one named after the time.'),
  resume: z.string().optional().describe('Folder of an earlier run: do only what is missing there.'),
  allow_unknown: z.boolean().default(false).describe('Warn of unknown keys in the YAML file rather than refuse them.'),
  json: z.boolean().default(false).describe('One JSON object on standard output at the end.'),
  quiet: z.boolean().default(false).describe('No progress and no table.'),
  verbose: z.boolean().default(false).describe('Every event, and where an error happened.'),
  plain: z.boolean().default(false).describe('Progress as lines, on a terminal too.'),
  help: z.boolean().default(false).describe('This text.'),
};

const schemas: Readonly<Record<DriverName, z.ZodObject>> = {
  process: z.object({
    ...sharedFields,
    rows: z
      .enum(['group', 'rollout'])
      .default('group')
      .describe('A line of the output: a group as upstream writes it, or one trajectory with reward and metadata.'),
  }),
  evaluate: z.object({
    ...sharedFields,
    max_items: z.int().min(1).optional().describe('Evaluate only the first so many items.'),
  }),
};

/** The flags of a command, as parsing and help need them. */
export function commandFields(driver: DriverName): readonly FieldDescription[] {
  return describeFields(schemas[driver]);
}

/** Reads the values that belong to {@link commandFields}. */
export function readCommandFlags(own: JsonObject): CommandFlags {
  const { max_items: maxItems } = own;
  return {
    rows: own['rows'] === 'rollout' ? 'rollout' : 'group',
    maxItems: typeof maxItems === 'number' ? maxItems : null,
    isJson: own['json'] === true,
    isQuiet: own['quiet'] === true,
    isVerbose: own['verbose'] === true,
    isPlain: own['plain'] === true,
  };
}
