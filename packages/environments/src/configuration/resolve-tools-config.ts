import { describeFields, validateConfig } from '@talaria/config';
import type { JsonObject, Secret } from '@talaria/core';
import { z } from 'zod';
import { type BrowserConfig, browserConfigSchema } from './browser-config.ts';
import { findSecrets } from './find-secrets.ts';
import { readSections, type SectionSources } from './read-sections.ts';
import { type ToolsConfig, toolsConfigSchema } from './tools-config.ts';
import { type WebConfig, webConfigSchema } from './web-config.ts';

/** The sections that tools are made from. */
export interface ToolSections {
  readonly tools: ToolsConfig;
  readonly web: WebConfig;
  readonly browser: BrowserConfig;
}

/** Where these sections come from, where nothing is run. */
export type ToolsConfigSources = SectionSources;

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
  const fields = describeFields(schema);
  const { merged, own, positionals } = readSections(sources, { names: Object.keys(sections), fields });
  return {
    config: validateConfig(schema, merged, fields),
    secrets: findSecrets(merged, fields, sources.variables),
    own,
    positionals,
  };
}
