import { ConfigError, type JsonObject, nearestName } from '@talaria/core';
import { coerceText } from './coerce-text.ts';
import { type ConfigLayer, withValueAt } from './config-layer.ts';
import type { Variables } from './expand-variables.ts';
import { type FieldDescription, findField, listLeafFields } from './field-description.ts';

/** A variable and the field that it sets. */
export interface VariableName {
  readonly name: string;
  /** Dotted path of the field. */
  readonly path: string;
}

/** What {@link readVariables} knows. */
export interface VariableOptions {
  readonly fields: readonly FieldDescription[];
  /** Variables with names that are not derived: those that other programs use too. The first that is set wins. */
  readonly table: readonly VariableName[];
  /** Start of the derived names. @default 'TALARIA' */
  readonly prefix?: string | undefined;
  /** Names with this prefix that mean something else, so that nobody is warned of them. */
  readonly otherNames?: readonly string[] | undefined;
}

/** What variables say. */
export interface ReadVariables {
  /** From the table; lower than configuration files. */
  readonly known: ConfigLayer;
  /** From `TALARIA_<SECTION>_<FIELD>`; higher than configuration files. */
  readonly derived: ConfigLayer;
  readonly warnings: readonly string[];
}

/**
 * Reads a configuration from variables. An empty variable of the table says nothing; an empty derived one is an empty
 * text. Secrets leave `${NAME}` as their template.
 * @throws ConfigError `config.bad-variable`, with the variable, its value and what the field takes
 */
export function readVariables(variables: Variables, options: VariableOptions): ReadVariables {
  const { fields, table, prefix = 'TALARIA', otherNames = [] } = options;
  const derivedNames = listVariableNames(fields, prefix);
  const set = Object.keys(variables).filter((name) => name.startsWith(`${prefix}_`) && variables[name] !== undefined);
  const known = new Set([...derivedNames.map((entry) => entry.name), ...otherNames]);
  return {
    known: readLayer('variables', firstSetOfEachPath(table, variables), fields, variables),
    derived: readLayer(
      `${prefix}_ variables`,
      derivedNames.filter((entry) => variables[entry.name] !== undefined),
      fields,
      variables,
    ),
    warnings: set.filter((name) => !known.has(name)).map((name) => unknownVariable(name, known)),
  };
}

/** The derived name of every field that is not an object with known fields: `TALARIA_ENV_GROUP_SIZE`. */
export function listVariableNames(fields: readonly FieldDescription[], prefix = 'TALARIA'): readonly VariableName[] {
  return listLeafFields(fields).map(({ path }) => ({
    name: `${prefix}_${path.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '_')}`,
    path,
  }));
}

function firstSetOfEachPath(table: readonly VariableName[], variables: Variables): readonly VariableName[] {
  const chosen = new Map<string, VariableName>();
  for (const entry of table) {
    const value = variables[entry.name];
    if (value !== undefined && value !== '' && !chosen.has(entry.path)) chosen.set(entry.path, entry);
  }
  return [...chosen.values()];
}

function readLayer(
  name: string,
  entries: readonly VariableName[],
  fields: readonly FieldDescription[],
  variables: Variables,
): ConfigLayer {
  let values: JsonObject = {};
  const templates = new Map<string, string>();
  for (const entry of entries) {
    const path = entry.path.split('.');
    const field = findField(fields, path);
    if (field === undefined) continue;
    const text = variables[entry.name] ?? '';
    const coerced = coerceText(text, field);
    if (!coerced.ok) throw badVariable(entry, text, field, coerced.expected);
    values = withValueAt(values, path, coerced.value);
    if (field.isSecret) templates.set(entry.path, `\${${entry.name}}`);
  }
  return { name, values, templates };
}

function badVariable(entry: VariableName, text: string, field: FieldDescription, expected: string): ConfigError {
  const shown = field.isSecret ? 'its value' : JSON.stringify(text.slice(0, 80));
  return new ConfigError(`The variable ${entry.name} sets ${entry.path}, which does not take ${shown}`, {
    code: 'config.bad-variable',
    hint: `Set it to ${expected}, or unset it.`,
  });
}

function unknownVariable(name: string, known: ReadonlySet<string>): string {
  const meant = nearestName(name, known, 3);
  return `The variable ${name} is set but means nothing${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
