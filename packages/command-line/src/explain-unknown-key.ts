import { type FieldDescription, findField } from '@talaria/config';
import { ConfigError, isTalariaError, nearestName } from '@talaria/core';
import { z } from 'zod';

/**
 * Names the nearest right key where an entry of a map or list, such as an MCP server, has one that nobody knows; any other
 * error is given back as it is.
 */
export function explainUnknownKey(error: unknown, fields: readonly FieldDescription[]): unknown {
  if (!isTalariaError(error) || error.code !== 'config.invalid' || !(error.cause instanceof z.ZodError)) return error;
  const meant = error.cause.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [];
    const names = findField(fields, issue.path.map(String))?.fields.map(({ name }) => name) ?? [];
    return issue.keys.flatMap((key) => nearestName(key, names, 3) ?? []);
  });
  if (meant.length === 0) return error;
  return new ConfigError(error.message, {
    code: 'config.invalid',
    hint: `Did you mean ${meant.join(', ')}? --help shows what each field takes.`,
    cause: error,
  });
}
