import { isJsonObject, type JsonObject, type JsonValue } from '@talaria/core';
import { z } from 'zod';

/** Kind of value that a field takes; `json` stands for whatever JSON can hold. */
export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'enum' | 'list' | 'object' | 'json';

/** One field of a configuration, as flags, variables and help need to know it. */
export interface FieldDescription {
  /** Dotted place from the root: `env.group_size`. */
  readonly path: string;
  /** Last part of the path. */
  readonly name: string;
  readonly type: FieldType;
  readonly isNullable: boolean;
  /** `undefined` where the field has none. */
  readonly defaultValue: JsonValue | undefined;
  /** Values of an `enum`; empty for other types. */
  readonly choices: readonly string[];
  /** What a list holds; `null` for other types. */
  readonly items: FieldDescription | null;
  /** Known fields of an object, in the order of the schema; empty for other types. */
  readonly fields: readonly FieldDescription[];
  /** What the values under other keys of an object are like; `null` where no other keys are allowed. */
  readonly entries: FieldDescription | null;
  /** Empty where the schema has none. */
  readonly description: string;
  /** Never printed, and never taken literally from files and flags. */
  readonly isSecret: boolean;
}

/**
 * Describes the fields of an object schema, nested ones included. Descriptions come from `.describe(…)`; a field whose
 * metadata hold `secret: true` (see `secretField`) is a secret.
 */
export function describeFields(schema: z.ZodType, prefix = ''): readonly FieldDescription[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  // The result is JSON by its nature; its type says so only in part.
  return describe(json as unknown as JsonObject, prefix, '').fields;
}

function describe(schema: JsonObject, path: string, name: string): FieldDescription {
  const alternatives = listObjects(schema['anyOf']);
  const withoutNull = alternatives.filter((alternative) => alternative['type'] !== 'null');
  const single = withoutNull.length === 1 ? withoutNull[0] : undefined;
  const main: JsonObject = single === undefined ? schema : { ...single, ...withoutUnion(schema) };
  const types = listTypes(main['type']);
  const choices = listChoices(main);
  const type = choices.length > 0 ? 'enum' : fieldType(types.filter((entry) => entry !== 'null'));
  return {
    path,
    name,
    type,
    isNullable: types.includes('null') || withoutNull.length < alternatives.length || acceptsAnything(main),
    defaultValue: schema['default'],
    choices,
    items: type === 'list' ? describe(objectOr(main['items']), `${path}[]`, name) : null,
    fields: type === 'object' ? describeProperties(main['properties'], path) : [],
    entries: type === 'object' ? describeEntries(main, path) : null,
    description: typeof main['description'] === 'string' ? main['description'] : '',
    isSecret: main['secret'] === true,
  };
}

function describeProperties(properties: JsonValue | undefined, path: string): readonly FieldDescription[] {
  return Object.entries(objectOr(properties)).map(([key, value]) =>
    describe(objectOr(value), path === '' ? key : `${path}.${key}`, key),
  );
}

function describeEntries(schema: JsonObject, path: string): FieldDescription | null {
  const entries = schema['additionalProperties'];
  return isJsonObject(entries) ? describe(entries, `${path}.*`, '*') : null;
}

function withoutUnion(schema: JsonObject): JsonObject {
  const { anyOf: _anyOf, ...rest } = schema;
  return rest;
}

function acceptsAnything(schema: JsonObject): boolean {
  return schema['type'] === undefined && schema['anyOf'] === undefined && schema['enum'] === undefined;
}

function fieldType(types: readonly string[]): FieldType {
  const [type] = types;
  if (types.length !== 1 || type === undefined) return 'json';
  switch (type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'object':
      return type;
    case 'array':
      return 'list';
    default:
      return 'json';
  }
}

function listChoices(schema: JsonObject): readonly string[] {
  const values = Array.isArray(schema['enum'])
    ? schema['enum']
    : schema['const'] === undefined
      ? []
      : [schema['const']];
  const texts = values.filter((value): value is string => typeof value === 'string');
  return texts.length === values.length ? texts : [];
}

function listTypes(type: JsonValue | undefined): readonly string[] {
  const types: readonly (JsonValue | undefined)[] = Array.isArray(type) ? type : [type];
  return types.filter((entry): entry is string => typeof entry === 'string');
}

function listObjects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((entry: unknown): entry is JsonObject => isJsonObject(entry)) : [];
}

function objectOr(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Every field that is not an object with known fields, in the order of the schema. */
export function listLeafFields(fields: readonly FieldDescription[]): readonly FieldDescription[] {
  return fields.flatMap((field) => (field.fields.length > 0 ? listLeafFields(field.fields) : [field]));
}

/** The field at a path of names; a path that leads into free keys gives what those keys hold. */
export function findField(fields: readonly FieldDescription[], path: readonly string[]): FieldDescription | undefined {
  const [name, ...rest] = path;
  const field = fields.find((candidate) => candidate.name === name);
  return field === undefined ? undefined : descend(field, rest);
}

function descend(field: FieldDescription, path: readonly string[]): FieldDescription | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return field;
  if (field.type === 'json') return field;
  const next = field.fields.find((candidate) => candidate.name === name) ?? field.entries;
  return next === null ? undefined : descend(next, rest);
}
