import { ConfigError, nearestName, truncateText } from '@talaria/core';
import { z } from 'zod';

/**
 * Checks an options object at the border of the package. The value of an option is told, unless its check has the
 * parameter `isSecret`.
 * @throws ConfigError `config.invalid` that names the option, its value and, for an unknown one, the nearest name
 */
export function parseOptions<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
  options: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const known = Object.keys(schema.shape);
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys;
    const near = nearestName(unknown, known);
    throw new ConfigError(`${name} has no option "${unknown}"`, {
      code: 'config.invalid',
      hint: near === undefined ? `Known options: ${known.join(', ')}.` : `Did you mean "${near}"?`,
    });
  }
  const path = issue?.path.join('.') ?? '';
  const isSecret = issue?.code === 'custom' && issue.params?.['isSecret'] === true;
  const value = isSecret ? 'wrong' : describe(options, issue?.path);
  throw new ConfigError(`${name}.${path} is ${value}: ${issue?.message ?? 'not valid'}`, {
    code: 'config.invalid',
    hint: `Give ${path === '' ? name : `"${path}"`} a value of the documented type and range.`,
  });
}

/** Accepts any value: for options whose type the compiler checks and that hold behaviour, not data. */
export function opaque<Value>(): z.ZodType<Value> {
  return z.custom<Value>(() => true);
}

function describe(options: unknown, path: readonly PropertyKey[] = []): string {
  let value = options;
  for (const key of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  if (value === undefined) return 'missing';
  return truncateText(typeof value === 'object' || typeof value === 'function' ? typeof value : String(value), 80);
}
