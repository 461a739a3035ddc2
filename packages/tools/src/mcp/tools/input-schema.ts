import { isJsonObject, type JsonObject, type JsonValue } from '@talaria/core';

/** Deeper than any schema that a person wrote. */
const maxDepth = 40;
const maxChars = 100_000;

/** Keywords that hold one schema, a list of them, and schemas by name. Whatever else there is holds values. */
const singles: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const lists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const maps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** What providers refuse at the root of the arguments; the server checks it anyway. */
const refusedAtRoot: ReadonlySet<string> = new Set([
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'enum',
  'const',
  'if',
  'then',
  'else',
  '$ref',
]);
/** Names of drafts and schemas, which mean nothing inside a prompt, and what would make a check asynchronous. */
const dropped: ReadonlySet<string> = new Set(['$schema', '$id', 'id', '$async', '$comment', '$anchor', '$vocabulary']);

/**
 * A server's schema of arguments as model providers take it: an object with properties, lists that say what they hold, and
 * nothing that only schema libraries use.
 *
 * @throws TypeError, in words, for what cannot be made into one
 */
export function cleanInputSchema(schema: JsonObject): JsonObject {
  if (JSON.stringify(schema).length > maxChars) throw new TypeError(`it has more than ${maxChars} characters`);
  const whole = withRootReference(schema);
  const { type } = whole;
  const isObject = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObject) throw new TypeError('it does not describe an object');
  const cleaned = cleanObject(whole, 0);
  const properties = isJsonObject(cleaned['properties']) ? cleaned['properties'] : {};
  const { required } = whole;
  const known = Array.isArray(required)
    ? required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name))
    : [];
  const others = Object.entries(cleaned).filter(([key]) => !refusedAtRoot.has(key) && key !== 'required');
  return {
    ...Object.fromEntries(others),
    type: 'object',
    properties,
    ...(known.length === 0 ? {} : { required: known }),
  };
}

/** Some generators write the arguments as a reference to one of the definitions. */
function withRootReference(schema: JsonObject): JsonObject {
  const { $ref: reference, ...rest } = schema;
  const match = typeof reference === 'string' ? /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(reference) : null;
  const definitions = schema[match?.[1] ?? ''];
  const target = isJsonObject(definitions) ? definitions[match?.[2] ?? ''] : undefined;
  return isJsonObject(target) ? { ...target, ...rest } : schema;
}

function clean(schema: JsonValue | undefined, depth: number): JsonValue {
  if (depth > maxDepth) throw new TypeError(`it is nested more than ${maxDepth} levels deep`);
  if (isJsonObject(schema)) return cleanObject(schema, depth);
  // `true` allows everything, which providers want to be written as an empty schema.
  return schema === false ? false : {};
}

function cleanObject(schema: JsonObject, depth: number): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
    if (dropped.has(key) || key.startsWith('x-') || value === undefined || isSaidOfEveryInteger(key, value)) return [];
    if (maps.has(key) && isJsonObject(value)) return [[key, cleanMap(value, depth)]];
    if (lists.has(key) && Array.isArray(value)) return [[key, value.map((entry) => clean(entry, depth + 1))]];
    // Older drafts wrote a tuple so.
    if (key === 'items' && Array.isArray(value))
      return [['prefixItems', value.map((entry) => clean(entry, depth + 1))]];
    if (key === 'additionalProperties' && typeof value === 'boolean') return [[key, value]];
    return [[key, singles.has(key) ? clean(value, depth + 1) : value]];
  });
  const cleaned: JsonObject = Object.fromEntries(entries);
  if (cleaned['type'] !== 'array' || cleaned['items'] !== undefined) return cleaned;
  return { ...cleaned, items: {} };
}

/** Generators write the limits of whole numbers of JavaScript out, which tells a model nothing. */
function isSaidOfEveryInteger(key: string, value: JsonValue): boolean {
  if (typeof value !== 'number' || (key !== 'minimum' && key !== 'maximum')) return false;
  return Math.abs(value) === Number.MAX_SAFE_INTEGER;
}

function cleanMap(schemas: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, clean(schema, depth + 1)]));
}
