import {
  type ConfigLayer,
  checkUnknownKeys,
  type FieldDescription,
  guardSecrets,
  type ParsedFlags,
  parseFlags,
  parseYamlConfig,
  plainLayer,
} from '@talaria/config';
import { ConfigError, type JsonObject } from '@talaria/core';
import { environmentFailure } from '../driver/run/call-environment.ts';
import type { Environment } from '../environment.ts';
import { countListedItems } from '../environment-items.ts';
import { backendDefaults } from './backend-defaults.ts';
import { linkFields } from './linked-fields.ts';
import type { DriverName } from './run-config.ts';
import type { RunConfigSources } from './run-config-sources.ts';
import { runFlagAliases } from './run-flag-aliases.ts';
import { splitServers } from './server-layers.ts';
import { readSettingVariables } from './setting-variables.ts';

/** Every source of a run's configuration, read. */
export interface ConfigLayers {
  /** Lowest first. */
  readonly layers: readonly ConfigLayer[];
  /** Names of those that the user did not write. */
  readonly defaultNames: ReadonlySet<string>;
  /** Two servers or more, each under `openai`; empty where there is one. */
  readonly servers: readonly ConfigLayer[];
  readonly flags: ParsedFlags;
  readonly warnings: readonly string[];
}

/** What a driver prefers, above the environment's defaults and below everything that a user says. */
function driverDefaults(driver: DriverName, environmentName: string): JsonObject {
  if (driver === 'evaluate') return { env: { agent_temperature: 0 } };
  return {
    env: {
      ensure_scores_are_not_same: false,
      include_messages: true,
      data_path_to_save_groups: `data/${environmentName}.jsonl`,
    },
  };
}

/** A list of items is played once; what is no list has no length. */
function listDefaults<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  driver: DriverName,
): JsonObject {
  const count = driver === 'process' ? countListedItems(environment) : null;
  return count === null || count === 0 ? {} : { env: { total_steps: count } };
}

/** Reads every source: keys checked, secrets expanded, fields with two names made one. */
export function readConfigLayers<Item extends JsonObject, Config>(
  sources: RunConfigSources<Item, Config>,
  fields: readonly FieldDescription[],
): ConfigLayers {
  const { environment, driver, variables, allowUnknown = false } = sources;
  const warnings: string[] = [];
  const refine = (layer: ConfigLayer, isTrusted: boolean): ConfigLayer => {
    const checked = checkUnknownKeys(layer, fields, allowUnknown && !isTrusted);
    warnings.push(...checked.warnings);
    return linkFields(isTrusted ? checked.layer : guardSecrets(checked.layer, fields, variables));
  };
  const ownDefaults = readOwnDefaults(environment);
  const defaults = [
    plainLayer(`the items of ${environment.name}`, listDefaults(environment, driver)),
    refine(plainLayer(`the defaults of ${environment.name}`, ownDefaults), true),
    refine(plainLayer('the defaults of the command', driverDefaults(driver, environment.name)), true),
    refine(plainLayer('the defaults of the program', sources.programDefaults ?? {}), true),
  ];
  const { layer: fileLayer, servers } = splitServers(readFile(sources));
  const file = refine(fileLayer, false);
  const flags = parseFlags(sources.argv ?? [], {
    fields,
    aliases: { ...runFlagAliases(driver), ...sources.aliases },
    ownFields: sources.ownFields,
  });
  const flagLayer = refine(flags.layer, false);
  const otherNames = sources.otherVariables ?? [];
  const {
    known,
    derived,
    backend,
    warnings: variableWarnings,
  } = readSettingVariables(variables, {
    fields,
    otherNames,
    around: ({ known, derived }) => [...defaults, known, file, derived, flagLayer],
  });
  if (servers.length > 0) refuseServerSettings([flagLayer, derived]);
  const ofBackend = plainLayer(`the defaults of ${backend}`, backendDefaults(backend));
  return {
    layers: [ofBackend, ...defaults, known, file, derived, flagLayer],
    defaultNames: new Set([ofBackend, ...defaults].map(({ name }) => name)),
    servers: servers.map((server) => refine(server, false)),
    flags,
    warnings: [...warnings, ...variableWarnings, ...flags.warnings],
  };
}

function readOwnDefaults<Item extends JsonObject, Config>(environment: Environment<Item, Config>): JsonObject {
  try {
    return { ...environment.configInit?.() };
  } catch (error) {
    throw environmentFailure(environment.name, 'configInit', error);
  }
}

function readFile<Item extends JsonObject, Config>(sources: RunConfigSources<Item, Config>): ConfigLayer {
  const { yaml, variables } = sources;
  return yaml === undefined ? plainLayer('no file', {}) : parseYamlConfig(yaml.text, yaml.fileName, variables);
}

/** A setting for "the" server says nothing where there are several. */
function refuseServerSettings(layers: readonly ConfigLayer[]): void {
  for (const layer of layers) {
    if (layer.values['openai'] === undefined) continue;
    throw new ConfigError(`${layer.name} set openai fields, and the configuration file lists several servers`, {
      code: 'config.several-servers',
      hint: 'Change the entries of the file, or list one server only.',
    });
  }
}
