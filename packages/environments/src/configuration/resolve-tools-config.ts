import {
  type ConfigLayer,
  checkUnknownKeys,
  describeFields,
  type FieldDescription,
  guardSecrets,
  mergeLayers,
  parseFlags,
  parseYamlConfig,
  plainLayer,
  type Variables,
  validateConfig,
} from '@talaria/config';
import type { JsonObject, Secret } from '@talaria/core';
import { z } from 'zod';
import { type BrowserConfig, browserConfigSchema } from './browser-config.ts';
import { findSecrets } from './find-secrets.ts';
import { readSettingVariables } from './setting-variables.ts';
import { type ToolsConfig, toolsConfigSchema } from './tools-config.ts';
import { type WebConfig, webConfigSchema } from './web-config.ts';

/** The sections that tools are made from. */
export interface ToolSections {
  readonly tools: ToolsConfig;
  readonly web: WebConfig;
  readonly browser: BrowserConfig;
}

/** Where the configuration of tools comes from, where nothing is run. */
export interface ToolsConfigSources {
  /** As the program finds them, those of a `.env` file included. */
  readonly variables: Variables;
  /** The text of a configuration file; other sections are not looked at. */
  readonly yaml?: { readonly text: string; readonly fileName: string } | undefined;
  /** Flags: `--tools.…`, `--web.…`, `--browser.…`, and those of `ownFields`. @default [] */
  readonly argv?: readonly string[] | undefined;
  /** Fields of the command itself. @default [] */
  readonly ownFields?: readonly FieldDescription[] | undefined;
}

/** The sections `tools`, `web` and `browser`, resolved. */
export interface ResolvedToolsConfig {
  readonly config: ToolSections;
  /** Values that must be redacted wherever they could be seen. */
  readonly secrets: readonly Secret[];
  /** Values of the command's own flags, by name. */
  readonly own: JsonObject;
  /** Arguments that belong to no flag. */
  readonly positionals: readonly string[];
}

const sections = { tools: toolsConfigSchema, web: webConfigSchema, browser: browserConfigSchema };
const schema = z.strictObject(sections);

/**
 * Resolves the sections that tools are made from, from the same sources in the same order as `resolveRunConfig`: for
 * commands that look at tools and run nothing.
 * @throws ConfigError that names the source, the field and what to do
 */
export function resolveToolsConfig(sources: ToolsConfigSources): ResolvedToolsConfig {
  const { variables, argv = [], ownFields, yaml } = sources;
  const fields = describeFields(schema);
  const refine = (layer: ConfigLayer): ConfigLayer =>
    guardSecrets(checkUnknownKeys(layer, fields, false).layer, fields, variables);
  const flags = parseFlags(argv, { fields, ownFields });
  const read = yaml === undefined ? plainLayer('no file', {}) : parseYamlConfig(yaml.text, yaml.fileName, variables);
  const file = refine(onlySections(read));
  const flagLayer = refine(flags.layer);
  const { known, derived } = readSettingVariables(variables, {
    fields,
    otherNames: [],
    around: (found) => [found.known, file, found.derived, flagLayer],
  });
  const merged = mergeLayers([...[known, file, derived].map(onlySections), flagLayer]);
  const complete = { ...merged, values: { tools: {}, web: {}, browser: {}, ...merged.values } };
  return {
    config: validateConfig(schema, complete, fields),
    secrets: findSecrets(merged, fields, variables),
    own: flags.own,
    positionals: flags.positionals,
  };
}

function onlySections({ name, values, templates }: ConfigLayer): ConfigLayer {
  const isOwn = (path: string): boolean => Object.hasOwn(sections, path.split('.')[0] ?? '');
  return {
    name,
    values: Object.fromEntries(Object.entries(values).filter(([section]) => isOwn(section))),
    templates: new Map([...templates].filter(([path]) => isOwn(path))),
  };
}
