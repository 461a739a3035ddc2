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

/** How far types are followed through references and combined schemas. */
const maximumDepth = 16;

const typeNames: ReadonlyMap<unknown, JsonType> = new Map(
  Object.entries<JsonType>({
    string: 'string',
    str: 'string',
    text: 'string',
    enum: 'string',
    integer: 'integer',
    int: 'integer',
    number: 'number',
    float: 'number',
    double: 'number',
    boolean: 'boolean',
    bool: 'boolean',
    object: 'object',
    dict: 'object',
    array: 'array',
    list: 'array',
    null: 'null',
  }),
);

/** Reads a JSON schema, into which its own `$ref` point. Takes whatever JSON it is given; what makes no sense says nothing. */
export function createValueSchema(root: unknown): ValueSchema {
  /** Made once for each schema, since texts name the same parameter often and a schema may be huge. */
  const made = new Map<unknown, ValueSchema>();

  /** Of what is said in several places, any may hold. Such unions are not kept: a recursive schema has no end of them. */
  function anyOf(schemas: readonly unknown[]): ValueSchema {
    const [schema] = schemas;
    if (schemas.length > 1) return create({ anyOf: schemas });
    const known = made.get(schema) ?? create(schema);
    made.set(schema, known);
    return known;
  }

  function create(schema: unknown): ValueSchema {
    const types = typesOf(schema, root, new Map());
    const parts = partsOf(schema, root);
    const properties = propertiesOf(parts);
    const [additional = [], items = []] = ['additionalProperties', 'items'].map((keyword) =>
      parts.map((part) => get(part, keyword)).filter(isObject),
    );
    return {
      types,
      isText: types?.size === 1 && types.has('string'),
      propertyNames: [...properties.keys()],
      property(key) {
        return anyOf(properties.get(key) ?? additional);
      },
      item: () => anyOf(items),
    };
  }

  return create(root);
}

/** The types that a schema allows. `seen` ends cycles, and keeps the work within the size of the schema. */
function typesOf(schema: unknown, root: unknown, seen: Map<unknown, Types | undefined>, depth = 0): Types | undefined {
  if (schema === false) return new Set();
  if (!isObject(schema) || depth > maximumDepth || seen.has(schema)) return seen.get(schema);
  seen.set(schema, undefined);
  const follow = (part: unknown): Types | undefined => typesOf(part, root, seen, depth + 1);
  // What may have one of several types; unknown where one of them is.
  const alternatives = alternativesOf(schema).flatMap((part) => [...(follow(part) ?? [undefined])]);
  let types = ownTypes(schema) ?? setOf(alternatives);
  for (const part of requirementsOf(schema, root)) types = intersection(types, follow(part));
  if (types && get(schema, 'nullable') === true) types = new Set([...types, 'null']);
  seen.set(schema, types);
  return types;
}

/** What a schema says itself. */
function ownTypes(schema: object): Types | undefined {
  // Some APIs write types in capitals.
  const named = [get(schema, 'type')]
    .flat()
    .map((name) => typeNames.get(typeof name === 'string' && name.toLowerCase()));
  const values = Object.hasOwn(schema, 'const') ? [get(schema, 'const')] : listAt(schema, 'enum');
  return setOf(named) ?? setOf(values.map(typeOfValue));
}

/** The set of what is in a list, unless there is nothing or something unknown in it. */
function setOf(types: readonly (JsonType | undefined)[]): Types | undefined {
  const known = types.filter((type) => type !== undefined);
  return known.length === types.length && known.length > 0 ? new Set(known) : undefined;
}

function typeOfValue(value: unknown): JsonType | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeNames.get(typeof value);
}

/** Both must allow a type. An integer is a number as well. */
function intersection(left: Types | undefined, right: Types | undefined): Types | undefined {
  if (!left || !right) return left ?? right;
  const allows = (types: Types, type: JsonType): boolean =>
    types.has(type) || (type === 'integer' && types.has('number'));
  return new Set([...left, ...right].filter((type) => allows(left, type) && allows(right, type)));
}

/** The schema and all that takes part in it, through references and combinations, each once. */
function partsOf(schema: unknown, root: unknown): readonly object[] {
  const parts = new Set([schema].filter(isObject));
  // What is added meanwhile is gone through as well.
  for (const part of parts) {
    for (const other of [...requirementsOf(part, root), ...alternativesOf(part)]) if (isObject(other)) parts.add(other);
  }
  return [...parts];
}

/** What is declared under each name. */
function propertiesOf(parts: readonly object[]): ReadonlyMap<string, readonly unknown[]> {
  const properties = new Map<string, unknown[]>();
  for (const part of parts) {
    const named = get(part, 'properties');
    for (const [name, schema] of Object.entries(isObject(named) ? named : {})) {
      const declared = properties.get(name);
      if (declared) declared.push(schema);
      else properties.set(name, [schema]);
    }
  }
  return properties;
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
  if (typeof reference !== 'string') return undefined;
  const [start, ...steps] = reference.split('/');
  let place = start === '#' ? root : undefined;
  for (const step of steps) place = get(place, decodePercent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return place;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that begins no escape stands for itself.
    return text;
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
