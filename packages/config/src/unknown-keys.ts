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

/** Unknown keys that are told one by one; a file of another program has thousands. */
const maxTold = 10;

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

/** A section that is no map would take the place of all that lower layers say of it. */
function checkSections(layer: ConfigLayer, values: JsonObject, fields: readonly FieldDescription[]): void {
  for (const field of fields) {
    const value = values[field.name];
    const isSection = field.type === 'object' && field.entries === null && field.fields.length > 0;
    if (!isSection || value === undefined || value === null) continue;
    if (isJsonObject(value)) checkSections(layer, value, field.fields);
    else {
      throw new ConfigError(`${layer.name}: ${field.path} is ${JSON.stringify(value).slice(0, 80)}, which is no map`, {
        code: 'config.invalid',
        hint: `Write its fields below it, for example ${field.fields[0]?.path}.`,
      });
    }
  }
}

/**
 * Refuses keys that no field has, all of them at once; with `allowUnknown`, drops them with a warning each.
 * @throws ConfigError `config.unknown-key`; `config.invalid` for a section that is no map
 */
export function checkUnknownKeys(
  layer: ConfigLayer,
  fields: readonly FieldDescription[],
  allowUnknown: boolean,
): CheckedLayer {
  checkSections(layer, layer.values, fields);
  const unknown = findUnknownKeys(layer.values, fields);
  if (unknown.length === 0) return { layer, warnings: [] };
  const texts = unknown
    .slice(0, maxTold)
    .map(({ path, meant }) => `${path.join('.')}${meant === undefined ? '' : ` (${meant}?)`}`);
  if (unknown.length > maxTold) texts.push(`and ${unknown.length - maxTold} more`);
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
