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

const typeNames: ReadonlyMap<unknown, JsonType> = new Map<unknown, JsonType>([
  ['string', 'string'],
  ['str', 'string'],
  ['text', 'string'],
  ['enum', 'string'],
  ['integer', 'integer'],
  ['int', 'integer'],
  ['number', 'number'],
  ['float', 'number'],
  ['double', 'number'],
  ['boolean', 'boolean'],
  ['bool', 'boolean'],
  ['object', 'object'],
  ['dict', 'object'],
  ['array', 'array'],
  ['list', 'array'],
  ['null', 'null'],
]);

/** Reads a JSON schema, into which its own `$ref` point. Takes whatever JSON it is given; what makes no sense says nothing. */
export function createValueSchema(root: unknown): ValueSchema {
  /** Made once for each schema, since texts name the same parameter often and a schema may be huge. */
  const made = new Map<unknown, ValueSchema>();

  function schemaOf(schema: unknown): ValueSchema {
    const known = made.get(schema) ?? create(schema);
    made.set(schema, known);
    return known;
  }

  /** Of what is said in several places, any may hold. Not kept: there is no end of such unions in a recursive schema. */
  function anyOf(schemas: readonly unknown[]): ValueSchema {
    if (schemas.length === 0) return unknownValue;
    return schemas.length === 1 ? schemaOf(schemas[0]) : create({ anyOf: schemas });
  }

  function create(schema: unknown): ValueSchema {
    const types = lazy(() => typesOf(schema, root, new Map()));
    const parts = lazy(() => partsOf(schema, root));
    const properties = lazy(() => propertiesOf(parts()));
    const propertyNames = lazy(() => [...properties().keys()]);
    const under = (keyword: string): ValueSchema =>
      anyOf(
        parts()
          .map((part) => get(part, keyword))
          .filter(isObject),
      );
    return {
      get types() {
        return types();
      },
      get isText() {
        return types()?.size === 1 && types()?.has('string') === true;
      },
      get propertyNames() {
        return propertyNames();
      },
      property(key) {
        const declared = properties().get(key);
        return declared ? anyOf(declared) : under('additionalProperties');
      },
      item: () => under('items'),
    };
  }

  return schemaOf(root);
}

/** The types that a schema allows. `seen` ends cycles, and keeps the work within the size of the schema. */
function typesOf(schema: unknown, root: unknown, seen: Map<unknown, Types | undefined>, depth = 0): Types | undefined {
  if (schema === false) return new Set();
  if (!isObject(schema) || depth > maximumDepth) return undefined;
  if (seen.has(schema)) return seen.get(schema);
  seen.set(schema, undefined);
  const follow = (part: unknown): Types | undefined => typesOf(part, root, seen, depth + 1);
  let types = ownTypes(schema) ?? union(alternativesOf(schema).map(follow));
  for (const part of requirementsOf(schema, root)) types = intersection(types, follow(part));
  if (types && get(schema, 'nullable') === true) types = new Set([...types, 'null']);
  seen.set(schema, types);
  return types;
}

/** What a schema says itself. */
function ownTypes(schema: object): Types | undefined {
  const type = get(schema, 'type');
  const named = (Array.isArray(type) ? type : [type]).map((name) =>
    // Some APIs write types in capitals.
    typeNames.get(typeof name === 'string' ? name.toLowerCase() : undefined),
  );
  return (
    setOf(named) ??
    setOf(Object.hasOwn(schema, 'const') ? [typeOfValue(get(schema, 'const'))] : []) ??
    setOf(listAt(schema, 'enum').map(typeOfValue))
  );
}

/** The set of what is in a list, unless it is empty or has something unknown in it. */
function setOf<Item>(items: readonly (Item | undefined)[]): ReadonlySet<Item> | undefined {
  const known = new Set<Item>();
  for (const item of items) {
    if (item === undefined) return undefined;
    known.add(item);
  }
  return known.size === 0 ? undefined : known;
}

function typeOfValue(value: unknown): JsonType | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeNames.get(typeof value);
}

/** What may have one of several types; unknown where one of them is. */
function union(branches: readonly (Types | undefined)[]): Types | undefined {
  const members = branches.flatMap((branch) => (branch ? [...branch] : [undefined]));
  return members.length === 0 && branches.length > 0 ? new Set() : setOf(members);
}

/** Both must allow a type. An integer is a number as well. */
function intersection(left: Types | undefined, right: Types | undefined): Types | undefined {
  if (!left || !right) return left ?? right;
  const allows = (types: Types, type: JsonType): boolean =>
    types.has(type) || (type === 'integer' && types.has('number'));
  return new Set([
    ...[...left].filter((type) => allows(right, type)),
    ...[...right].filter((type) => allows(left, type)),
  ]);
}

/** The schema and all that takes part in it, through references and combinations, each once. */
function partsOf(schema: unknown, root: unknown): readonly object[] {
  const parts = new Set<object>();
  const add = (part: unknown): void => {
    if (isObject(part)) parts.add(part);
  };
  add(schema);
  // What is added meanwhile is gone through as well.
  for (const part of parts) [...requirementsOf(part, root), ...alternativesOf(part)].forEach(add);
  return [...parts];
}

/** What is declared under each name. */
function propertiesOf(parts: readonly object[]): ReadonlyMap<string, readonly unknown[]> {
  const properties = new Map<string, unknown[]>();
  for (const part of parts) {
    for (const [name, schema] of Object.entries(objectAt(part, 'properties'))) {
      const declared = properties.get(name);
      if (declared) declared.push(schema);
      else properties.set(name, [schema]);
    }
  }
  return properties;
}

/** The schemas that a value must meet besides. */
function requirementsOf(schema: object, root: unknown): readonly unknown[] {
  const reference = get(schema, '$ref');
  const all = listAt(schema, 'allOf');
  return typeof reference === 'string' ? [...all, resolve(reference, root)] : all;
}

/** The schemas of which a value must meet one. */
function alternativesOf(schema: object): readonly unknown[] {
  return [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')];
}

/** What a local reference points to; undefined where there is nothing, or no such place. */
function resolve(reference: string, root: unknown): unknown {
  const [start, ...steps] = reference.split('/');
  if (start !== '#') return undefined;
  let place = root;
  for (const step of steps) place = get(place, unescapeStep(step));
  return place;
}

function unescapeStep(step: string): string {
  let plain = step;
  try {
    plain = decodeURIComponent(step);
  } catch {
    // A percent sign that begins no escape stands for itself.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A property of its own, so that `__proto__` and the like are names as any others. */
function get(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function listAt(value: object, key: string): readonly unknown[] {
  const list = get(value, key);
  return Array.isArray(list) ? list : [];
}

function objectAt(value: object, key: string): object {
  const found = get(value, key);
  return isObject(found) ? found : {};
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Computes a value when it is asked for, once. */
function lazy<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}
