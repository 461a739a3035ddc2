import { isJsonObject, type JsonObject, type JsonValue } from '@talaria/core';

/**
 * Brings arguments that models without native tool calls write nearer to the schema: numbers and booleans written as
 * text, numbers where text is asked for, one value where a list is asked for, `null` for an optional field. Each change
 * is told in `coercions`. Works on the top level and within listed objects.
 */
export function coerceArguments(args: JsonObject, schema: JsonObject, coercions: string[], prefix = ''): JsonObject {
  const properties = schema['properties'];
  if (!isJsonObject(properties)) return args;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  // Entries, since to set a key `__proto__` would mean something else.
  const result: [string, JsonValue | undefined][] = [];
  for (const [key, value] of Object.entries(args)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const path = `${prefix}${key}`;
    if (!isJsonObject(property)) result.push([key, value]);
    else if (value === null && !required.includes(key) && !allowsType(property, 'null')) {
      coercions.push(`${path}: null taken as absent`);
    } else result.push([key, coerceValue(value, property, path, coercions)]);
  }
  return Object.fromEntries(result);
}

function coerceValue(value: JsonValue | undefined, schema: JsonObject, path: string, coercions: string[]): JsonValue {
  const given = value ?? null;
  if (fitsType(given, schema)) return coerceItems(given, schema, path, coercions);
  const coerced = coerceScalar(given, schema);
  if (coerced !== undefined) {
    coercions.push(`${path}: ${JSON.stringify(given)} taken as ${JSON.stringify(coerced)}`);
    return coerced;
  }
  if (allowsType(schema, 'array') && given !== null) {
    coercions.push(`${path}: a single value taken as a list of one`);
    return coerceItems([given], schema, path, coercions);
  }
  return given;
}

function coerceItems(value: JsonValue, schema: JsonObject, path: string, coercions: string[]): JsonValue {
  const items = schema['items'];
  if (Array.isArray(value) && isJsonObject(items)) {
    return value.map((entry, index) => coerceValue(entry, items, `${path}[${index}]`, coercions));
  }
  return isJsonObject(value) ? coerceArguments(value, schema, coercions, `${path}.`) : value;
}

function coerceScalar(value: JsonValue, schema: JsonObject): JsonValue | undefined {
  if (typeof value === 'string') {
    if (/^-?\d{1,15}$/.test(value) && (allowsType(schema, 'integer') || allowsType(schema, 'number'))) {
      return Number(value);
    }
    if (/^-?\d{1,15}\.\d{1,15}$/.test(value) && allowsType(schema, 'number')) return Number(value);
    if (/^(true|false)$/i.test(value) && allowsType(schema, 'boolean')) return value.toLowerCase() === 'true';
  }
  if (typeof value === 'number' && allowsType(schema, 'string')) return String(value);
  return undefined;
}

function allowsType(schema: JsonObject, type: string): boolean {
  const allowed = schema['type'];
  return Array.isArray(allowed) ? allowed.includes(type) : allowed === type;
}

function fitsType(value: JsonValue, schema: JsonObject): boolean {
  if (schema['type'] === undefined) return true;
  if (value === null) return allowsType(schema, 'null');
  if (Array.isArray(value)) return allowsType(schema, 'array');
  if (typeof value === 'number') {
    return allowsType(schema, 'number') || (allowsType(schema, 'integer') && Number.isInteger(value));
  }
  return allowsType(schema, typeof value);
}
