/** A type that a schema can ask for. */
export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

type Types = ReadonlySet<JsonType>;

/** What the schema of a tool says of one value. */
export interface ValueSchema {
  /** The types that it may have; undefined where that is not known. */
  readonly types: Types | undefined;
  /** It is a string and nothing else, so its text is taken as it is. */
  readonly isText: boolean;
  /** The names of its declared properties, in order. */
  readonly propertyNames: readonly string[];
  /** What is said of a property of it. */
  property(key: string): ValueSchema;
  /** What is said of its items. */
  item(): ValueSchema;
}

/** Nothing is known of the value. */
export const unknownValue: ValueSchema = {
  types: undefined,
  isText: false,
  propertyNames: [],
  property: () => unknownValue,
  item: () => unknownValue,
};

/** How far references and combined schemas are followed. */
const maximumDepth = 16;

/** How many schemas are looked at to know one, since references can multiply them. */
const maximumVisits = 1000;

/** The types, each with other names that tools in the wild give it. */
const spellings: readonly (readonly [JsonType, ...string[]])[] = [
  ['string', 'str', 'text', 'enum'],
  ['integer', 'int'],
  ['number', 'float', 'double'],
  ['boolean', 'bool'],
  ['object', 'dict'],
  ['array', 'list'],
  ['null'],
];

/** Reads a JSON schema, into which its own `$ref` point. Takes whatever JSON it is given; what makes no sense says nothing. */
export function createValueSchema(root: unknown): ValueSchema {
  return create([root], root);
}

/** Of what is said in several places, any may hold. */
function create(schemas: readonly unknown[], root: unknown): ValueSchema {
  const visited: object[] = [];
  const types = typesOf(schemas.length === 1 ? schemas[0] : { anyOf: schemas }, root, visited);
  const parts = [...new Set(visited)];
  const objectsAt = (key: string): readonly object[] => parts.map((part) => get(part, key)).filter(isObject);
  const properties = objectsAt('properties');
  const made = new Map<string, ValueSchema>();
  /** Made once, since texts name the same parameter often. What is not declared has one schema, whatever its name. */
  const makeOnce = (key: string, found: readonly unknown[]): ValueSchema => {
    const known = made.get(key) ?? (found.length > 0 ? create(found, root) : unknownValue);
    made.set(key, known);
    return known;
  };
  return {
    types,
    isText: types?.size === 1 && types.has('string'),
    propertyNames: [...new Set(properties.flatMap(Object.keys))],
    property(key) {
      const declared = properties.map((part) => get(part, key)).filter((schema) => schema !== undefined);
      if (declared.length > 0) return makeOnce(`.${key}`, declared);
      return makeOnce('additional', objectsAt('additionalProperties'));
    },
    item: () => makeOnce('item', objectsAt('items')),
  };
}

/** The types that a schema allows. It and all that takes part in it, through references and combinations, is `visited`. */
function typesOf(schema: unknown, root: unknown, visited: object[], depth = 0): Types | undefined {
  if (schema === false) return new Set();
  if (!isObject(schema) || depth > maximumDepth || visited.push(schema) > maximumVisits) return undefined;
  const { type, const: constant, enum: values, nullable, allOf, $ref, anyOf, oneOf } = Object(schema);
  const follow = (part: unknown): Types | undefined => typesOf(part, root, visited, depth + 1);
  const alternatives = [...listOf(anyOf), ...listOf(oneOf)].map(follow);
  const own =
    setOf([type].flat().map(typeNamed)) ??
    setOf((constant === undefined ? listOf(values) : [constant]).map(typeOfValue)) ??
    // What may have one of several types; unknown where one of them is.
    setOf(alternatives.flatMap((types) => [...(types ?? [undefined])]));
  const required = [own, ...[...listOf(allOf), resolve($ref, root)].map(follow)].filter((types) => types !== undefined);
  if (!required.length) return undefined;
  // Each must allow a type. An integer is a number as well.
  const types = required
    .flatMap((some) => [...some])
    .filter((type) => required.every((some) => some.has(type) || (type === 'integer' && some.has('number'))));
  return new Set(nullable === true ? [...types, 'null'] : types);
}

function typeNamed(name: unknown): JsonType | undefined {
  // Some APIs write types in capitals.
  const spelling = typeof name === 'string' ? name.toLowerCase() : '';
  return spellings.find((names) => names.includes(spelling))?.[0];
}

function typeOfValue(value: unknown): JsonType | undefined {
  if (Number.isInteger(value)) return 'integer';
  return typeNamed(Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);
}

/** The set of what is in a list, unless there is nothing or something unknown in it. */
function setOf(types: readonly (JsonType | undefined)[]): Types | undefined {
  return types.length && types.every((type) => type !== undefined) ? new Set(types) : undefined;
}

/** What a local reference points to; undefined where there is none, or no such place. */
function resolve(reference: unknown, root: unknown): unknown {
  try {
    const [start, ...steps] = String(reference).split('/');
    const names = steps.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
    return start === '#' ? names.reduce(get, root) : undefined;
  } catch {
    // What cannot be made a text, or a percent sign that begins no escape.
    return undefined;
  }
}

/** A property of its own, so that `__proto__` and the like are names as any others. */
function get(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
