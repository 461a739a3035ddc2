import { collectSecrets, describeFields, plainLayer, validateConfig } from '@talaria/config';
import type { JsonObject, Secret } from '@talaria/core';
import type { BackendKind } from '@talaria/terminal-backends';
import { z } from 'zod';
import { backendDefaults } from './backend-defaults.ts';
import { backendKinds } from './backend-kinds.ts';
import { checkBackend } from './check-terminal-config.ts';
import { readSections, type SectionSources } from './read-sections.ts';
import { type TerminalConfig, terminalConfigSchema } from './terminal-config.ts';

/** Where the configuration of sandboxes comes from, where nothing is run. */
export interface TerminalConfigSources extends SectionSources {
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

const schema = z.strictObject({ terminal: terminalConfigSchema });

/**
 * Resolves the section `terminal` alone, from the same sources in the same order as `resolveRunConfig`: for commands
 * that look after sandboxes and run nothing.
 * @throws ConfigError that names the source, the field and what to do
 */
export function resolveTerminalConfig(sources: TerminalConfigSources): ResolvedTerminalConfig {
  const { backend: forced } = sources;
  const fields = describeFields(schema);
  const { merged, own, positionals } = readSections(sources, {
    names: ['terminal'],
    fields,
    above: forced === undefined ? undefined : plainLayer('the command', { terminal: { backend: forced } }),
    below: (backend) => plainLayer(`the defaults of ${backend}`, backendDefaults(backend)),
  });
  const { terminal } = validateConfig(schema, merged, fields);
  checkBackend(terminal.backend, backendKinds);
  const secrets = collectSecrets(merged.values, fields, merged.templates);
  return { config: terminal, secrets, own, positionals };
}
