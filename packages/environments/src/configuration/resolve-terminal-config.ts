import {
  type ConfigLayer,
  checkUnknownKeys,
  collectSecrets,
  describeFields,
  type FieldDescription,
  guardSecrets,
  type MergedConfig,
  mergeLayers,
  parseFlags,
  parseYamlConfig,
  plainLayer,
  type Variables,
  validateConfig,
} from '@talaria/config';
import type { JsonObject, Secret } from '@talaria/core';
import type { BackendKind } from '@talaria/terminal-backends';
import { z } from 'zod';
import { backendDefaults } from './backend-defaults.ts';
import { backendKinds } from './backend-kinds.ts';
import { checkBackend } from './check-terminal-config.ts';
import { linkFields } from './linked-fields.ts';
import { readSettingVariables } from './setting-variables.ts';
import { type TerminalConfig, terminalConfigSchema } from './terminal-config.ts';

/** Where the configuration of sandboxes comes from, where nothing is run. */
export interface TerminalConfigSources {
  /** As the program finds them, those of a `.env` file included. */
  readonly variables: Variables;
  /** The text of a configuration file; other sections than `terminal` are not looked at. */
  readonly yaml?: { readonly text: string; readonly fileName: string } | undefined;
  /** Flags: `--terminal.…`, and those of `ownFields`. @default [] */
  readonly argv?: readonly string[] | undefined;
  /** Fields of the command itself. @default [] */
  readonly ownFields?: readonly FieldDescription[] | undefined;
  /** In place of the backend that is configured. */
  readonly backend?: BackendKind | undefined;
}

/** The section `terminal`, resolved. */
export interface ResolvedTerminalConfig {
  readonly config: TerminalConfig;
  /** Values that must be redacted wherever they could be seen. */
  readonly secrets: readonly Secret[];
  /** Values of the command's own flags, by name. */
  readonly own: JsonObject;
  /** Arguments that belong to no flag. */
  readonly positionals: readonly string[];
}

/**
 * Resolves the section `terminal` alone, from the same sources in the same order as `resolveRunConfig`: for commands
 * that look after sandboxes and run nothing.
 * @throws ConfigError that names the source, the field and what to do
 */
export function resolveTerminalConfig(sources: TerminalConfigSources): ResolvedTerminalConfig {
  const { variables, argv = [], ownFields, backend: forced } = sources;
  const fields = describeFields(schema);
  const refine = (layer: ConfigLayer): ConfigLayer =>
    guardSecrets(checkUnknownKeys(layer, fields, false).layer, fields, variables);
  const flags = parseFlags(argv, { fields, ownFields });
  const file = refine(onlyTerminal(readFile(sources)));
  const flagLayer = refine(flags.layer);
  const above = plainLayer('the command', forced === undefined ? {} : { terminal: { backend: forced } });
  const { known, derived, backend } = readSettingVariables(variables, {
    fields,
    otherNames: [],
    around: (read) => [read.known, file, read.derived, flagLayer, above],
  });
  const below = plainLayer(`the defaults of ${backend}`, backendDefaults(backend));
  const merged = withSection(mergeLayers([below, ...[known, file, derived].map(onlyTerminal), flagLayer, above]));
  const { terminal } = validateConfig(schema, merged, fields);
  checkBackend(terminal.backend, backendKinds);
  return {
    config: terminal,
    secrets: collectSecrets(merged.values, fields, merged.templates),
    own: flags.own,
    positionals: flags.positionals,
  };
}

const schema = z.strictObject({ terminal: terminalConfigSchema });

function readFile({ yaml, variables }: TerminalConfigSources): ConfigLayer {
  return yaml === undefined ? plainLayer('no file', {}) : parseYamlConfig(yaml.text, yaml.fileName, variables);
}

/** Without the other sections, whose names for settings of this one count. */
function onlyTerminal(layer: ConfigLayer): ConfigLayer {
  const { values, templates, name } = linkFields(layer);
  const { terminal } = values;
  const own = [...templates].filter(([path]) => path.startsWith('terminal.'));
  return { name, values: terminal === undefined ? {} : { terminal }, templates: new Map(own) };
}

function withSection(merged: MergedConfig): MergedConfig {
  return { ...merged, values: { terminal: {}, ...merged.values } };
}
