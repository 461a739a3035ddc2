import {
  type ConfigLayer,
  type FieldDescription,
  type MergedConfig,
  mergeLayers,
  redactConfig,
  validateConfig,
} from '@talaria/config';
import { isJsonObject, type JsonObject, parseJson, type Secret } from '@talaria/core';
import { z } from 'zod';
import { backendKinds } from './backend-kinds.ts';
import { checkRunConfig } from './check-run-config.ts';
import { readConfigLayers } from './config-layers.ts';
import { type KeyOptions, withEndpointKey } from './endpoint-key.ts';
import { environmentParsers } from './environment-parsers.ts';
import { findSecrets } from './find-secrets.ts';
import { withoutRivalDefaults } from './rival-fields.ts';
import type { RunConfig } from './run-config.ts';
import { describeRunConfig, runConfigSchema, type SingleServerConfig } from './run-config-schema.ts';
import type { RunConfigSources } from './run-config-sources.ts';
import { type ServerConfig, serverConfigSchema } from './server-config.ts';
import { warnOfSettingsWithoutEffect } from './settings-without-effect.ts';

/** A run's configuration, and what came with it. */
export interface ResolvedRunConfig<Config> {
  readonly config: RunConfig<Config>;
  /** For people, one sentence each. */
  readonly warnings: readonly string[];
  /** Values that must be redacted wherever they could be seen. */
  readonly secrets: readonly Secret[];
  /** Arguments that belong to no flag. */
  readonly positionals: readonly string[];
  /** Values of the command's own flags, by name. */
  readonly own: JsonObject;
  /** The effective configuration as it is written down: secrets stand there as `${NAME}`. */
  describe(): JsonObject;
}

/**
 * Resolves the configuration of a run, the same way for every driver: defaults < the environment's < the driver's <
 * variables with upstream's names < file < `TALARIA_…` variables < flags. Maps merge, lists and single values replace.
 * @throws ConfigError that names the source, the field and what to do
 */
export function resolveRunConfig<Item extends JsonObject, Config>(
  sources: RunConfigSources<Item, Config>,
): ResolvedRunConfig<Config> {
  const { environment, variables } = sources;
  const schema = runConfigSchema(environment);
  const fields = describeRunConfig(environment);
  const { layers, defaultNames, servers, flags, warnings } = readConfigLayers(sources, fields);
  const keyOptions = { variables, defaultNames };
  const given = mergeLayers(withoutRivalDefaults(layers, defaultNames));
  const merged = withAllSections(withEndpointKey(given, keyOptions));
  const single = validateConfig(schema, merged, fields);
  const openai = servers.map((server) => resolveServer(server, keyOptions, fields));
  const config = assemble(single, merged, openai);
  const checkWarnings = checkRunConfig(config, {
    driver: sources.driver,
    availableBackends: sources.availableBackends ?? backendKinds,
    parsers: environmentParsers(environment.parsers),
  });
  const described = [merged, ...openai.map((server) => server.merged)];
  const effectWarnings = warnOfSettingsWithoutEffect(described, defaultNames);
  return {
    config,
    warnings: [...warnings, ...checkWarnings, ...effectWarnings],
    secrets: described.flatMap((part) => findSecrets(part, fields, variables)),
    positionals: flags.positionals,
    own: flags.own,
    describe: () => describeConfig(single, merged, openai, fields),
  };
}

interface ResolvedServer {
  readonly config: ServerConfig;
  readonly merged: MergedConfig;
}

function resolveServer(
  layer: ConfigLayer,
  keyOptions: KeyOptions,
  fields: readonly FieldDescription[],
): ResolvedServer {
  const merged = withEndpointKey(mergeLayers([layer]), keyOptions);
  const { openai } = validateConfig(serverOnlySchema, merged, fields);
  return { config: openai, merged };
}

const serverOnlySchema = z.strictObject({ openai: serverConfigSchema });

/** Sections that nobody mentioned have their defaults all the same. */
function withAllSections(merged: MergedConfig): MergedConfig {
  return {
    ...merged,
    values: { env: {}, openai: {}, terminal: {}, tools: {}, web: {}, browser: {}, ...merged.values },
  };
}

function assemble<Config>(
  single: SingleServerConfig<Config>,
  merged: MergedConfig,
  servers: readonly ResolvedServer[],
): RunConfig<Config> {
  const { openai, ...rest } = single;
  const list = servers.length === 0 ? [openai] : servers.map((server) => server.config);
  const lifetime = sandboxLifetime(single, merged.sources.has('terminal.max_lifetime_sec'));
  return {
    ...rest,
    env: { ...rest.env, terminal_lifetime: lifetime },
    terminal: { ...rest.terminal, max_lifetime_sec: lifetime },
    openai: list.map((server) => (server.base_url === '' ? { ...server, base_url: null } : server)),
  };
}

/** Room for disposing and verifying after the last moment of a rollout. */
const lifetimeMarginSec = 120;

/** A sandbox must not die before the rollout that uses it, unless somebody said so. */
function sandboxLifetime<Config>(config: SingleServerConfig<Config>, isGiven: boolean): number {
  const { max_lifetime_sec: lifetime } = config.terminal;
  const { rollout_timeout: timeout } = config.env;
  return isGiven || timeout === null ? lifetime : Math.max(lifetime, timeout + lifetimeMarginSec);
}

function describeConfig<Config>(
  single: SingleServerConfig<Config>,
  merged: MergedConfig,
  servers: readonly ResolvedServer[],
  fields: readonly FieldDescription[],
): JsonObject {
  const described = redactConfig(toJson(single), fields, merged.templates);
  if (servers.length === 0) return described;
  const list = servers.map((server) => {
    const { openai } = redactConfig(toJson({ openai: server.config }), fields, server.merged.templates);
    return openai ?? {};
  });
  return { ...described, openai: list };
}

/** The configuration was read from JSON values and defaults of a schema, so it is JSON, but for `undefined`. */
function toJson(value: unknown): JsonObject {
  const parsed = parseJson(JSON.stringify(value));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}
