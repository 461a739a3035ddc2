import { ConfigError, isJsonObject, type JsonObject, nearestName } from '@talaria/core';
import { type ConfigLayer, withValueAt } from './config-layer.ts';
import type { FieldDescription } from './field-description.ts';

/** A key that no field has. */
export interface UnknownKey {
  /** Names from the root. */
  readonly path: readonly string[];
  /** Dotted path of the field that was probably meant. */
  readonly meant: string | undefined;
}

/** Finds every key of `values` that no field has, at any depth. */
export function findUnknownKeys(values: JsonObject, fields: readonly FieldDescription[]): readonly UnknownKey[] {
  return search(values, fields, []);
}

function search(
  values: JsonObject,
  fields: readonly FieldDescription[],
  parent: readonly string[],
): readonly UnknownKey[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = [...parent, key];
    const field = fields.find((candidate) => candidate.name === key);
    if (field === undefined) return [{ path, meant: meantField(key, fields) }];
    const isClosed = field.type === 'object' && field.entries === null;
    return isClosed && isJsonObject(value) ? search(value, field.fields, path) : [];
  });
}

function meantField(key: string, fields: readonly FieldDescription[]): string | undefined {
  const near = nearestName(
    key,
    fields.map((field) => field.name),
    3,
  );
  return fields.find((field) => field.name === near)?.path ?? elsewhere(key, fields);
}

/** A key that stands one section too high. */
function elsewhere(key: string, fields: readonly FieldDescription[]): string | undefined {
  return fields.flatMap((field) => field.fields).find((field) => field.name === key)?.path;
}

/** A layer without the keys that no field has. */
export interface CheckedLayer {
  readonly layer: ConfigLayer;
  readonly warnings: readonly string[];
}

/**
 * Refuses keys that no field has, all of them at once; with `allowUnknown`, drops them with a warning each.
 * @throws ConfigError `config.unknown-key`
 */
export function checkUnknownKeys(
  layer: ConfigLayer,
  fields: readonly FieldDescription[],
  allowUnknown: boolean,
): CheckedLayer {
  const unknown = findUnknownKeys(layer.values, fields);
  if (unknown.length === 0) return { layer, warnings: [] };
  const texts = unknown.map(({ path, meant }) => `${path.join('.')}${meant === undefined ? '' : ` (${meant}?)`}`);
  if (!allowUnknown) {
    throw new ConfigError(`${layer.name} holds unknown keys: ${texts.join(', ')}`, {
      code: 'config.unknown-key',
      hint: 'Correct or remove them, or allow them with --allow-unknown.',
    });
  }
  const values = unknown.reduce((rest, { path }) => withValueAt(rest, path, undefined), layer.values);
  return {
    layer: { ...layer, values },
    warnings: texts.map((text) => `${layer.name}: the unknown key ${text} is ignored`),
  };
}
