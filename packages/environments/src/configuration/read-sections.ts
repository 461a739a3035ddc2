import {
  type ConfigLayer,
  checkUnknownKeys,
  type FieldDescription,
  guardSecrets,
  type MergedConfig,
  mergeLayers,
  parseFlags,
  parseYamlConfig,
  plainLayer,
  type Variables,
} from '@talaria/config';
import type { JsonObject } from '@talaria/core';
import { linkFields } from './linked-fields.ts';
import { readSettingVariables } from './setting-variables.ts';

/** Where some sections of the configuration come from, where nothing is run. */
export interface SectionSources {
  /** As the program finds them, those of a `.env` file included. */
  readonly variables: Variables;
  /** The text of a configuration file; other sections are not looked at. */
  readonly yaml?: { readonly text: string; readonly fileName: string } | undefined;
  /** Flags: those of the sections' fields (`--terminal.…`), and those of `ownFields`. @default [] */
  readonly argv?: readonly string[] | undefined;
  /** Fields of the command itself. @default [] */
  readonly ownFields?: readonly FieldDescription[] | undefined;
}

/** What {@link readSections} found. */
export interface ReadSections {
  /** Each section is there, if empty. */
  readonly merged: MergedConfig;
  /** Values of the command's own flags, by name. */
  readonly own: JsonObject;
  /** Arguments that belong to no flag. */
  readonly positionals: readonly string[];
}

/** What {@link readSections} looks for. */
export interface SectionOptions {
  readonly names: readonly string[];
  /** Of these sections. */
  readonly fields: readonly FieldDescription[];
  /** Above everything else. @default nothing */
  readonly above?: ConfigLayer | undefined;
  /** Below everything else, for the backend that the sources lead to. @default nothing */
  readonly below?: ((backend: string) => ConfigLayer) | undefined;
}

/**
 * Reads some sections alone, from the same sources in the same order as `resolveRunConfig`.
 * @throws ConfigError that names the source, the field and what to do
 */
export function readSections(sources: SectionSources, options: SectionOptions): ReadSections {
  const { variables, argv = [], ownFields, yaml } = sources;
  const { fields, names, above = plainLayer('nothing', {}), below } = options;
  const refine = (layer: ConfigLayer): ConfigLayer =>
    guardSecrets(checkUnknownKeys(layer, fields, false).layer, fields, variables);
  const only = (layer: ConfigLayer): ConfigLayer => onlySections(linkFields(layer), names);
  const flags = parseFlags(argv, { fields, ownFields });
  const read = yaml === undefined ? plainLayer('no file', {}) : parseYamlConfig(yaml.text, yaml.fileName, variables);
  const file = refine(only(read));
  const flagLayer = refine(flags.layer);
  const { known, derived, backend } = readSettingVariables(variables, {
    fields,
    otherNames: [],
    around: (found) => [found.known, file, found.derived, flagLayer, above],
  });
  const lowest = below === undefined ? [] : [below(backend)];
  const merged = mergeLayers([...lowest, ...[known, file, derived].map(only), flagLayer, above]);
  const empty = Object.fromEntries(names.map((name) => [name, {}]));
  return {
    merged: { ...merged, values: { ...empty, ...merged.values } },
    own: flags.own,
    positionals: flags.positionals,
  };
}

/** Without the other sections, whose fields may set some of these, too. */
function onlySections({ name, values, templates }: ConfigLayer, names: readonly string[]): ConfigLayer {
  const isOwn = (path: string): boolean => names.includes(path.split('.')[0] ?? '');
  return {
    name,
    values: Object.fromEntries(Object.entries(values).filter(([section]) => isOwn(section))),
    templates: new Map([...templates].filter(([path]) => isOwn(path))),
  };
}
