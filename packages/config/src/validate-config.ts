import { ConfigError, isJsonObject, type JsonObject, type JsonValue } from '@talaria/core';
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
    const path = issue.path.map(String);
    const field = findField(fields, path);
    return `${path.length === 0 ? 'the configuration' : path.join('.')}: ${issue.message}${shownValue(merged, path, field)}`;
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

function shownValue(merged: MergedConfig, path: readonly string[], field: FieldDescription | undefined): string {
  const value = path.length === 0 ? undefined : entryAt(merged.values, path);
  const source = sourceOf(merged, path);
  const from = source === undefined ? '' : `, from ${source}`;
  if (value === undefined || field?.isSecret === true) return from === '' ? '' : ` (${from.slice(2)})`;
  return ` (it is ${JSON.stringify(value).slice(0, 80)}${from})`;
}

/** The value at a path that may lead through lists. */
function entryAt(values: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = values;
  for (const name of path) {
    if (Array.isArray(value)) value = value[Number(name)];
    else value = isJsonObject(value) ? valueAt(value, [name]) : undefined;
  }
  return value;
}

/** Which layer a value came from; an entry of a list comes with the whole list. */
function sourceOf({ sources }: MergedConfig, path: readonly string[]): string | undefined {
  const lengths = path.map((_name, index) => path.length - index);
  return lengths.map((length) => sources.get(path.slice(0, length).join('.'))).find((source) => source !== undefined);
}
