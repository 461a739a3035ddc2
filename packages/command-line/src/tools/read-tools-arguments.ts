import { ConfigError } from '@talaria/core';
import type { ResolvedToolsConfig } from '@talaria/environments';
import { z } from 'zod';
import { findAction } from '../find-action.ts';
import type { Host } from '../host.ts';
import { readToolSections } from './read-tool-sections.ts';

/** What `talaria tools` was asked for. */
export interface ToolsRequest {
  readonly action: 'list' | 'show' | 'doctor';
  /** Tools or sets that `show` is asked about, and that `list` and `doctor` are limited to. */
  readonly names: readonly string[];
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  readonly resolved: ResolvedToolsConfig;
}

const flags = z.object({
  json: z.boolean().default(false),
  config: z.string().optional(),
  verbose: z.boolean().default(false),
});

const actions: Readonly<Record<string, ToolsRequest['action']>> = {
  list: 'list',
  ls: 'list',
  show: 'show',
  doctor: 'doctor',
  check: 'doctor',
};

/**
 * Reads the arguments after `tools`, and the configuration from the file, the variables and the flags.
 * @throws ConfigError for anything that does not fit
 */
export async function readToolsArguments(host: Host, args: readonly string[]): Promise<ToolsRequest> {
  const { resolved, given } = await readToolSections(host, args, { command: 'tools', flags });
  const [word = '', ...names] = resolved.positionals;
  const action = findAction(word, actions, 'tools');
  if (action === 'show' && names.length === 0) {
    throw new ConfigError('tools show needs the name of a tool or of a toolset', {
      code: 'config.missing-argument',
      hint: 'For example: talaria tools show terminal. talaria tools list names all.',
    });
  }
  return { action, names, isJson: given.json, isVerbose: given.verbose, resolved };
}
