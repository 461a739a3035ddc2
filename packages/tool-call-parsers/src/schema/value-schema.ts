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
export const unknownValue: ValueSchema = /* @__PURE__ */ createValueSchema(undefined);

/** How far types are followed through references and combined schemas. */
const maximumDepth = 16;

/** How many schemas are looked at to find the types of one, since references can multiply them. */
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
  const types = typesOf(schemas.length === 1 ? schemas[0] : { anyOf: schemas }, root);
  const parts = partsOf(schemas, root);
  const valuesAt = (key: string): readonly unknown[] => parts.map((part) => get(part, key));
  const properties = valuesAt('properties').filter(isObject);
  const made = new Map<string, ValueSchema>();
  /** Made once, since texts name the same parameter often. */
  const makeOnce = (key: string, find: () => readonly unknown[]): ValueSchema => {
    const known = made.get(key) ?? create(find(), root);
    made.set(key, known);
    return known;
  };
  return {
    types,
    isText: types?.size === 1 && types.has('string'),
    propertyNames: [...new Set(properties.flatMap(Object.keys))],
    property: (key) =>
      makeOnce(`.${key}`, () => {
        const declared = properties.filter((part) => Object.hasOwn(part, key)).map((part) => get(part, key));
        return declared.length > 0 ? declared : valuesAt('additionalProperties').filter(isObject);
      }),
    item: () => makeOnce('', () => valuesAt('items').filter(isObject)),
  };
}

/** The types that a schema allows. */
function typesOf(schema: unknown, root: unknown, visits: unknown[] = [], depth = 0): Types | undefined {
  if (schema === false) return new Set();
  if (!isObject(schema) || depth > maximumDepth || visits.push(schema) > maximumVisits) return undefined;
  const follow = (part: unknown): Types | undefined => typesOf(part, root, visits, depth + 1);
  const values = Object.hasOwn(schema, 'const') ? [get(schema, 'const')] : listAt(schema, 'enum');
  let types =
    setOf([get(schema, 'type')].flat().map(typeNamed)) ??
    setOf(values.map(typeOfValue)) ??
    // What may have one of several types; unknown where one of them is.
    setOf(alternativesOf(schema).flatMap((part) => [...(follow(part) ?? [undefined])]));
  for (const part of requirementsOf(schema, root)) types = intersection(types, follow(part));
  return types && get(schema, 'nullable') === true ? new Set([...types, 'null']) : types;
}

function typeNamed(name: unknown): JsonType | undefined {
  // Some APIs write types in capitals.
  const spelling = typeof name === 'string' ? name.toLowerCase() : '';
  return spellings.find((names) => names.includes(spelling))?.[0];
}

function typeOfValue(value: unknown): JsonType | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeNamed(typeof value);
}

/** The set of what is in a list, unless there is nothing or something unknown in it. */
function setOf(types: readonly (JsonType | undefined)[]): Types | undefined {
  const known = types.filter((type) => type !== undefined);
  return known.length > 0 && known.length === types.length ? new Set(known) : undefined;
}

/** Both must allow a type. An integer is a number as well. */
function intersection(left: Types | undefined, right: Types | undefined): Types | undefined {
  if (!left || !right) return left ?? right;
  const allows = (types: Types, type: JsonType): boolean =>
    types.has(type) || (type === 'integer' && types.has('number'));
  return new Set([...left, ...right].filter((type) => allows(left, type) && allows(right, type)));
}

/** The schemas and all that takes part in them, through references and combinations, each once. */
function partsOf(schemas: readonly unknown[], root: unknown): readonly object[] {
  const parts = new Set(schemas.filter(isObject));
  // What is added meanwhile is gone through as well.
  for (const part of parts) {
    for (const other of [...requirementsOf(part, root), ...alternativesOf(part)]) if (isObject(other)) parts.add(other);
  }
  return [...parts];
}

/** The schemas that a value must meet besides. */
function requirementsOf(schema: object, root: unknown): readonly unknown[] {
  return [...listAt(schema, 'allOf'), resolve(get(schema, '$ref'), root)];
}

/** The schemas of which a value must meet one. */
function alternativesOf(schema: object): readonly unknown[] {
  return [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')];
}

/** What a local reference points to; undefined where there is none, or no such place. */
function resolve(reference: unknown, root: unknown): unknown {
  const [start, ...steps] = typeof reference === 'string' ? reference.split('/') : [];
  try {
    return steps.reduce(
      (place, step) => get(place, decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')),
      start === '#' ? root : undefined,
    );
  } catch {
    // A percent sign that begins no escape.
    return undefined;
  }
}

/** A property of its own, so that `__proto__` and the like are names as any others. */
function get(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function listAt(value: object, key: string): readonly unknown[] {
  const list = get(value, key);
  return Array.isArray(list) ? list : [];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
