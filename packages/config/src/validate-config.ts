import { ConfigError, type JsonObject } from '@talaria/core';
import type { z } from 'zod';
import { coerceText } from './coerce-text.ts';
import { type MergedConfig, valueAt, withValueAt } from './config-layer.ts';
import { type FieldDescription, findField } from './field-description.ts';

/**
 * Checks merged values against their schema. Texts that came from `${NAME}` are read as what their field takes.
 * @throws ConfigError `config.invalid`: every value that does not fit, and which source it came from
 */
export function validateConfig<Config>(
  schema: z.ZodType<Config>,
  merged: MergedConfig,
  fields: readonly FieldDescription[],
): Config {
  const result = schema.safeParse(readTemplates(merged, fields));
  if (result.success) return result.data;
  const texts = result.error.issues.map((issue) => {
    const dotted = issue.path.map(String).join('.');
    const field = findField(fields, issue.path.map(String));
    return `${dotted === '' ? 'the configuration' : dotted}: ${issue.message}${shownValue(merged, dotted, field)}`;
  });
  throw new ConfigError(`The configuration does not fit: ${texts.join('; ')}`, {
    code: 'config.invalid',
    hint: 'Correct the values; --help shows what each field takes.',
    cause: result.error,
  });
}

/** Values of numbers, booleans and lists that a file took from variables are still texts. */
function readTemplates(merged: MergedConfig, fields: readonly FieldDescription[]): JsonObject {
  let { values } = merged;
  for (const dotted of merged.templates.keys()) {
    const path = dotted.split('.');
    const field = findField(fields, path);
    const value = valueAt(values, path);
    if (typeof value !== 'string' || field === undefined || field.type === 'string') continue;
    const coerced = coerceText(value, field);
    if (coerced.ok) values = withValueAt(values, path, coerced.value);
  }
  return values;
}

function shownValue(merged: MergedConfig, dotted: string, field: FieldDescription | undefined): string {
  const value = dotted === '' ? undefined : valueAt(merged.values, dotted.split('.'));
  const source = merged.sources.get(dotted);
  const from = source === undefined ? '' : `, from ${source}`;
  if (value === undefined || field?.isSecret === true) return from === '' ? '' : ` (${from.slice(2)})`;
  return ` (it is ${JSON.stringify(value).slice(0, 80)}${from})`;
}
