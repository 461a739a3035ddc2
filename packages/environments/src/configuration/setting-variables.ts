import {
  type ConfigLayer,
  type FieldDescription,
  listVariableNames,
  mergeLayers,
  type ReadVariables,
  readVariables,
  type Variables,
  valueAt,
} from '@talaria/config';
import { backendKinds } from './backend-kinds.ts';
import { linkFields } from './linked-fields.ts';
import { translateVariables, variableNames } from './variable-names.ts';

/** What {@link readSettingVariables} knows. */
export interface SettingVariablesOptions {
  readonly fields: readonly FieldDescription[];
  /** Names of `TALARIA_…` variables that mean something else. */
  readonly otherNames: readonly string[];
  /** Every layer of the configuration, lowest first, around those that come from variables. */
  around(read: Pick<ReadVariables, 'known' | 'derived'>): readonly ConfigLayer[];
}

/** What variables say, and the backend that the whole configuration leads to. */
export interface SettingVariables extends ReadVariables {
  readonly backend: string;
}

/** What a program finds in its environment when it runs inside a sandbox. */
const sandboxVariables = ['TALARIA_EXEC_ID', 'TALARIA_SANDBOX_ID'];

/**
 * Reads the variables that set something. Which ones do depends on the backend, and that may be set by one of them: so
 * those that set it are read first.
 * @throws ConfigError `config.bad-variable`; of other backends than the one in use nothing is read
 */
export function readSettingVariables(variables: Variables, options: SettingVariablesOptions): SettingVariables {
  const { fields, otherNames, around } = options;
  function read(backend: string): ReadVariables {
    const used = withoutOtherBackends(fields, backend);
    const usedNames = new Set(listVariableNames(used).map(({ name }) => name));
    const unused = listVariableNames(fields).flatMap(({ name }) => (usedNames.has(name) ? [] : [name]));
    const { known, derived, warnings } = readVariables(translateVariables(backend, variables), {
      fields: used,
      table: variableNames(backend, variables),
      otherNames: [...sandboxVariables, ...otherNames, ...unused],
    });
    return { known: linkFields(known), derived: linkFields(derived), warnings };
  }
  const chosen = valueAt(mergeLayers(around(read('local'))).values, ['terminal', 'backend']);
  const backend = typeof chosen === 'string' ? chosen : 'local';
  return { ...read(backend), backend };
}

/** Without the sections of the backends that are not in use. */
function withoutOtherBackends(fields: readonly FieldDescription[], backend: string): readonly FieldDescription[] {
  const hidden = new Set(backendKinds.filter((kind) => kind !== backend).map((kind) => `terminal.${kind}`));
  return fields.map((field) => ({ ...field, fields: field.fields.filter(({ path }) => !hidden.has(path)) }));
}
