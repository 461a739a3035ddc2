import { join } from 'node:path';
import { readFlag } from '@talaria/config';
import { ConfigError, isJsonObject, type JsonObject } from '@talaria/core';
import {
  type DriverName,
  describeRunConfig,
  type Environment,
  type ResolvedRunConfig,
  type RunConfigSources,
  resolveRunConfig,
} from '@talaria/environments';
import type { RunManifest } from '@talaria/run-store';
import { commandFields } from './command-flags.ts';
import { readConfigFile } from './config-file.ts';
import { earlierSettings, withoutSettingVariables } from './earlier-settings.ts';
import { explainUnknownKey } from './explain-unknown-key.ts';
import { explainUnknownFlag } from './flag-of-other-command.ts';
import type { Host } from './host.ts';

/** What a command is resolved from. */
export interface CommandSources<Item extends JsonObject, Config> {
  readonly environment: Environment<Item, Config>;
  readonly driver: DriverName;
  /** Flags, without the command and the environment's name. */
  readonly args: readonly string[];
  /** Absolute. */
  readonly runFolder: string;
  /** Whether everything that is written goes into the run folder, since the user named it. */
  readonly isFolderChosen: boolean;
  /** Whether a run in that folder is to be continued. */
  readonly isResumed: boolean;
  /** What that run was started with; `null` where there is none. */
  readonly earlier: RunManifest | null;
}

/**
 * Resolves the configuration of a run from the environment's defaults, the host's variables, the file that `--config`
 * names, and the flags; a run that goes on, from what it was begun with, and the flags.
 * @throws ConfigError that names the setting, the place and the nearest right name
 */
export async function resolveCommand<Item extends JsonObject, Config>(
  host: Host,
  sources: CommandSources<Item, Config>,
): Promise<ResolvedRunConfig<Config>> {
  const { environment, driver, args, earlier } = sources;
  const configPath = readFlag(args, 'config');
  const file = configPath === undefined ? undefined : await readConfigFile(host, configPath);
  const request: RunConfigSources<Item, Config> = {
    environment,
    driver,
    argv: args,
    ownFields: commandFields(driver),
    allowUnknown: args.includes('--allow-unknown'),
    programDefaults: { env: programDefaults(sources) },
    ...(earlier === null ? { variables: host.variables, yaml: file } : readEarlier(host, sources, earlier)),
  };
  const resolved = resolveOrExplain(request);
  const [stray] = resolved.positionals;
  if (stray !== undefined) {
    throw new ConfigError(`"${stray}" belongs to no flag`, {
      code: 'config.stray-argument',
      hint: 'Put the flag that it belongs to before it; --help lists all.',
    });
  }
  return resolved;
}

function resolveOrExplain<Item extends JsonObject, Config>(
  request: RunConfigSources<Item, Config>,
): ResolvedRunConfig<Config> {
  try {
    return resolveRunConfig(request);
  } catch (error) {
    throw explainUnknownFlag(explainUnknownKey(error, describeRunConfig(request.environment)), request.driver);
  }
}

/** A run that goes on has the settings that it was begun with, whatever the file and the variables say by now. */
function readEarlier<Item extends JsonObject, Config>(
  host: Host,
  { environment, driver, runFolder }: CommandSources<Item, Config>,
  earlier: RunManifest,
): Pick<RunConfigSources<Item, Config>, 'variables' | 'yaml'> {
  const variables = withoutSettingVariables(host.variables);
  const describe = (known: RunConfigSources<Item, Config>['variables']): JsonObject =>
    resolveRunConfig({ environment, driver, variables: known }).describe();
  const settings = earlierSettings({
    earlier: earlier.config,
    defaults: describe({}),
    present: describe(variables),
    variables: host.variables,
  });
  // JSON is YAML too.
  return { variables, yaml: { text: JSON.stringify(settings), fileName: join(runFolder, 'manifest.json') } };
}

/** What follows from the choice of the run folder. */
function programDefaults<Item extends JsonObject, Config>(sources: CommandSources<Item, Config>): JsonObject {
  const { environment, driver, runFolder, isFolderChosen, isResumed, earlier } = sources;
  const chosenPath = isFolderChosen ? join(runFolder, `${environment.name}.jsonl`) : undefined;
  const groupsPath = earlierGroupsPath(earlier) ?? chosenPath;
  return {
    ...(isResumed ? { resume: true } : {}),
    ...(driver === 'evaluate' ? { data_dir_to_save_evals: runFolder } : {}),
    ...(driver === 'process' && groupsPath !== undefined ? { data_path_to_save_groups: groupsPath } : {}),
  };
}

/** A run goes on with the file that it was started with, inside its folder or not. */
function earlierGroupsPath(earlier: RunManifest | null): string | undefined {
  const env = earlier?.config['env'];
  const path = isJsonObject(env) ? env['data_path_to_save_groups'] : undefined;
  return typeof path === 'string' ? path : undefined;
}
