import { describeFields, type FieldDescription, listLeafFields, readFlag, renderFieldHelp } from '@talaria/config';
import type { JsonObject } from '@talaria/core';
import {
  backendKinds,
  describeRunConfig,
  environmentConfigSchema,
  resolveRunConfig,
  runFlagAliases,
  settingsOfLater,
} from '@talaria/environments';
import { commandFields } from './command-flags.ts';
import type { EnvironmentCommand } from './environment-command.ts';

/** Narrowest and widest text of help, in columns. */
const minColumns = 60;
const maxColumns = 120;

/** Help of a command on an environment: its own fields and its effective defaults included. */
export function renderEnvironmentHelp<Item extends JsonObject, Config>(
  command: EnvironmentCommand<Item, Config>,
  columns: number,
): string {
  const { environment, driver, usage, args } = command;
  const width = Math.min(maxColumns, Math.max(minColumns, columns));
  const defaults = resolveRunConfig({ environment, driver, variables: {} }).describe();
  const own = commandFields(driver).map((field) => ({
    ...field,
    path: field.path.replaceAll('_', '-'),
    // That a switch is off by itself goes without saying.
    defaultValue: field.type === 'boolean' ? undefined : field.defaultValue,
  }));
  const described = describeRunConfig(environment);
  const current = hideLater(described);
  const laterCount = listLeafFields(described).length - listLeafFields(current).length;
  const shown = hideOtherBackends(current, readFlag(args, 'backend'));
  const settings = renderFieldHelp(ownFirst(shown), {
    width,
    defaults,
    aliases: runFlagAliases(driver),
  });
  const about = environment.description === undefined ? '' : `\n${environment.description}\n`;
  return `Usage: ${usage} [flags]
${about}
Flags of the command:
${withoutTitle(renderFieldHelp(own, { width }))}

Settings, each also a key of the YAML file that --config names. Defaults are those of ${environment.name}.

${settings}

Settings of one backend only are shown with it: --backend ${kindsWithSettings.join('|')} --help
${laterCount} settings for later versions are not shown: see docs/configuration.md.
`;
}

/** Leaves out what has no effect in this version. */
function hideLater(fields: readonly FieldDescription[]): readonly FieldDescription[] {
  return fields.flatMap((field) => {
    if (settingsOfLater.has(field.path)) return [];
    if (field.fields.length === 0) return [field];
    const inner = hideLater(field.fields);
    return inner.length === 0 ? [] : [{ ...field, fields: inner }];
  });
}

/** Most settings belong to one backend: those of the others would bury the rest. */
function hideOtherBackends(
  fields: readonly FieldDescription[],
  backend: string | undefined,
): readonly FieldDescription[] {
  const hidden = new Set(kindsWithSettings.filter((kind) => kind !== backend).map((kind) => `terminal.${kind}`));
  return fields.map((field) => ({ ...field, fields: field.fields.filter(({ path }) => !hidden.has(path)) }));
}

const kindsWithSettings: readonly string[] = backendKinds.filter((kind) => kind !== 'local');

/** What only this environment has comes first in its section. */
function ownFirst(fields: readonly FieldDescription[]): readonly FieldDescription[] {
  const base = new Set(describeFields(environmentConfigSchema).map(({ name }) => name));
  return fields.map((section) => {
    if (section.path !== 'env') return section;
    const own = section.fields.filter(({ name }) => !base.has(name));
    return { ...section, fields: [...own, ...section.fields.filter(({ name }) => base.has(name))] };
  });
}

/** The first line names a section; flags of a command belong to none. */
function withoutTitle(help: string): string {
  return help.slice(help.indexOf('\n') + 1);
}
