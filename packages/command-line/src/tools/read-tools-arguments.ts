import { describeFields, readFlag } from '@talaria/config';
import { ConfigError, nearestName } from '@talaria/core';
import { type ResolvedToolsConfig, resolveToolsConfig } from '@talaria/environments';
import { z } from 'zod';
import { checkOwnFlags } from '../check-own-flags.ts';
import { readConfigFile } from '../config-file.ts';
import type { Host } from '../host.ts';

/** What `talaria tools` was asked for. */
export interface ToolsRequest {
  readonly action: 'list' | 'show' | 'doctor';
  /** Tools or sets that `show` is asked about; sets that `list` is limited to. */
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
  const configPath = readFlag(args, 'config');
  const yaml = configPath === undefined ? undefined : await readConfigFile(host, configPath);
  const resolved = resolveToolsConfig({
    variables: host.variables,
    yaml,
    argv: args,
    ownFields: describeFields(flags),
  });
  const given = checkOwnFlags(flags, resolved.own, 'tools');
  const [word = '', ...names] = resolved.positionals;
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (action === undefined) throw unknownAction(word);
  if (action === 'show' && names.length === 0) {
    throw new ConfigError('tools show needs the name of a tool or of a toolset', {
      code: 'config.missing-argument',
      hint: 'For example: talaria tools show terminal. talaria tools list names all.',
    });
  }
  return { action, names, isJson: given.json, isVerbose: given.verbose, resolved };
}

function unknownAction(word: string): ConfigError {
  const meant = nearestName(word, Object.keys(actions));
  return new ConfigError(word === '' ? 'tools needs a command' : `tools does not know ${JSON.stringify(word)}`, {
    code: 'config.unknown-command',
    hint: meant === undefined ? 'It takes list, show or doctor.' : `Did you mean ${meant}?`,
  });
}
