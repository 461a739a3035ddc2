import { isJsonObject, type JsonObject, type JsonValue, truncateText } from '@talaria/core';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { coerceArguments } from './argument-coercion.ts';
import type { Tool } from './tool.ts';

/** Most faults that one message names. */
const maxFaults = 5;
/** Most changes that are recorded: each is stored with the call. */
const maxCoercions = 20;

/** Arguments that fit, with what was changed on the way; or what is wrong with them, in words. */
export type ArgumentCheck =
  | { readonly ok: true; readonly args: JsonObject; readonly coercions: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly coercions: readonly string[] };

/** Checks the arguments of one tool. */
export type ArgumentChecker = (args: JsonObject, isLenient: boolean) => ArgumentCheck;

/** Creates a function that compiles schemas. It throws for one that is not valid. */
export function createSchemaCompiler(): (schema: JsonObject) => ValidateFunction {
  let compiler: Ajv2020 | undefined;
  return (schema) => {
    compiler ??= new Ajv2020({
      strict: false,
      allErrors: true,
      verbose: true,
      // The meta-schema takes longer to compile than all tools; a wrong keyword fails when its code is made, too.
      meta: false,
      validateSchema: false,
      // Two tools may carry the same `$id`.
      addUsedSchema: false,
      logger: false,
      validateFormats: false,
    });
    // Tools of other programs name older drafts; the keywords that tools use mean the same in all of them.
    const { $schema: _draft, ...rest } = schema;
    // Only a schema with a name can mean itself by `#`.
    return compiler.compile({ $id: 'talaria:arguments', ...rest });
  };
}

/** Creates the checker of a tool. The schema is compiled on the first call. */
export function createArgumentChecker(tool: Tool, compile: (schema: JsonObject) => ValidateFunction): ArgumentChecker {
  const schema = tool.definition.function.parameters ?? { type: 'object' };
  let validate: ValidateFunction | undefined;
  return (given, isLenient) => {
    validate ??= compile(schema);
    const coercions: string[] = [];
    const prepared = tool.prepareArguments?.(given) ?? given;
    const known = dropUnknown(prepared, schema, coercions);
    const args = isLenient ? coerceArguments(known, schema, coercions) : known;
    const told = firstOf(coercions, maxCoercions);
    if (validate(args)) return { ok: true, args, coercions: told };
    return { ok: false, message: describeFaults(validate.errors ?? []), coercions: told };
  };
}

/** Names of the fields that a call must have. */
export function requiredFields(tool: Tool): readonly string[] {
  const required = tool.definition.function.parameters?.['required'];
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function dropUnknown(args: JsonObject, schema: JsonObject, coercions: string[]): JsonObject {
  const properties = schema['properties'];
  const additional = schema['additionalProperties'];
  const isOpen = (additional !== undefined && additional !== false) || schema['patternProperties'] !== undefined;
  if (isOpen || !isJsonObject(properties)) return args;
  const unknown = Object.keys(args).filter((key) => !Object.hasOwn(properties, key));
  if (unknown.length === 0) return args;
  for (const key of unknown) coercions.push(`dropped unknown property ${JSON.stringify(truncateText(key, 64))}`);
  return Object.fromEntries(Object.entries(args).filter(([key]) => Object.hasOwn(properties, key)));
}

function describeFaults(errors: readonly ErrorObject[]): string {
  return firstOf([...new Set(errors.map(describeFault))], maxFaults).join('; ');
}

function firstOf(texts: readonly string[], count: number): readonly string[] {
  return texts.length <= count ? texts : [...texts.slice(0, count), `and ${texts.length - count} more`];
}

function describeFault(error: ErrorObject): string {
  const place = fieldName(error.instancePath);
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case 'required':
      return `${joinField(error.instancePath, String(params['missingProperty']))} is required but missing`;
    case 'additionalProperties':
      return `${joinField(error.instancePath, String(params['additionalProperty']))} is not a known property`;
    case 'type':
      return `${place} must be ${typeNames(params['type'])}, but is ${describeValue(error.data)}`;
    case 'enum':
      return `${place} must be one of ${allowedValues(params['allowedValues'])}, but is ${describeValue(error.data)}`;
    default:
      return `${place} ${error.message ?? 'does not fit the schema'}, but is ${describeValue(error.data)}`;
  }
}

function fieldName(pointer: string): string {
  return pointer === '' ? 'The arguments' : `"${pointerToPath(pointer)}"`;
}

function joinField(pointer: string, name: string): string {
  return pointer === '' ? `"${name}"` : `"${pointerToPath(pointer)}.${name}"`;
}

/** `/todos/0/id` as `todos[0].id`. */
function pointerToPath(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '');
}

function typeNames(type: unknown): string {
  return Array.isArray(type) ? type.join(' or ') : String(type);
}

function allowedValues(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : String(values);
}

/** The type of a value, with the value itself where that is short. */
export function describeValue(value: JsonValue | unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return `the string ${JSON.stringify(truncateText(value, 60))}`;
  return `the ${typeof value} ${String(value)}`;
}
