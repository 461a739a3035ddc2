import { ConfigError, type JsonObject } from '@talaria/core';
import type { z } from 'zod';

/**
 * Checks the flags of a command itself, as `parseFlags` read them.
 * @throws ConfigError `config.bad-flag` that names each flag that does not fit
 */
export function checkOwnFlags<Schema extends z.ZodObject>(
  schema: Schema,
  own: JsonObject,
  command: string,
): z.output<Schema> {
  const result = schema.safeParse(own);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${flagName(path.map(String).join('.'))}: ${message}`);
  throw new ConfigError(faults.join('; '), {
    code: 'config.bad-flag',
    hint: `talaria ${command} --help says what each flag takes.`,
    cause: result.error,
  });
}

/** A flag as it is typed. */
export function flagName(field: string): string {
  return `--${field.replaceAll('_', '-')}`;
}
