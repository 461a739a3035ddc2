import { renderFieldHelp } from '@talaria/config';
import type { JsonObject } from '@talaria/core';
import { describeRunConfig, resolveRunConfig, runFlagAliases } from '@talaria/environments';
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
  const { environment, driver, usage } = command;
  const width = Math.min(maxColumns, Math.max(minColumns, columns));
  const defaults = resolveRunConfig({ environment, driver, variables: {} }).describe();
  const own = commandFields(driver).map((field) => ({
    ...field,
    path: field.path.replaceAll('_', '-'),
    // That a switch is off by itself goes without saying.
    defaultValue: field.type === 'boolean' ? undefined : field.defaultValue,
  }));
  const settings = renderFieldHelp(describeRunConfig(environment), {
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
`;
}

/** The first line names a section; flags of a command belong to none. */
function withoutTitle(help: string): string {
  return help.slice(help.indexOf('\n') + 1);
}
