import { isJsonObject, type JsonObject, type JsonValue, Secret } from '@talaria/core';
import { valueAt, withValueAt } from './config-layer.ts';
import { variableOfTemplate } from './expand-variables.ts';
import { type FieldDescription, listLeafFields } from './field-description.ts';

/**
 * A configuration as it may be written down: what came from `${NAME}` is `${NAME}` again, and a secret that came from
 * nowhere nameable is left out.
 */
export function redactConfig(
  values: JsonObject,
  fields: readonly FieldDescription[],
  templates: ReadonlyMap<string, string>,
): JsonObject {
  let redacted = values;
  for (const field of listLeafFields(fields)) {
    const path = field.path.split('.');
    const value = valueAt(values, path);
    if (!field.isSecret || value === undefined || value === null || value === '') continue;
    redacted = withValueAt(redacted, path, templates.get(field.path));
  }
  for (const [dotted, template] of templates) redacted = replaceAt(redacted, splitPath(dotted), template);
  return redacted;
}

/** `a.b[0].c` as names and positions. */
function splitPath(dotted: string): readonly string[] {
  return dotted.replaceAll(/\[(\d+)\]/gu, '.$1').split('.');
}

/** Replaces what is there; changes nothing where the path leads nowhere. */
function replaceAt(value: JsonObject, path: readonly string[], template: string): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined || !Object.hasOwn(value, name)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === name ? replaceInside(inner, rest, template) : inner]),
  );
}

function replaceInside(value: JsonValue | undefined, path: readonly string[], template: string): JsonValue | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return template;
  if (Array.isArray(value)) {
    return value.map((entry, index) =>
      String(index) === name ? (replaceInside(entry, rest, template) ?? null) : entry,
    );
  }
  return isJsonObject(value) ? replaceAt(value, path, template) : value;
}

/** The secrets that a configuration holds, named after the variables that they came from, else after their fields. */
export function collectSecrets(
  values: JsonObject,
  fields: readonly FieldDescription[],
  templates: ReadonlyMap<string, string>,
): readonly Secret[] {
  return listLeafFields(fields).flatMap((field) => {
    const value = valueAt(values, field.path.split('.'));
    if (!field.isSecret || typeof value !== 'string' || value === '') return [];
    return [new Secret(variableOfTemplate(templates.get(field.path)) ?? field.path, value)];
  });
}
