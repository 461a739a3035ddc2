import { describeFields, readFlag } from '@talaria/config';
import {
  type ResolvedToolsConfig,
  resolveToolsConfig,
  type ToolsConfigSources,
  toolsConfigSchema,
} from '@talaria/environments';
import { z } from 'zod';
import { checkOwnFlags } from '../check-own-flags.ts';
import { readConfigFile } from '../config-file.ts';
import { explainUnknownKey } from '../explain-unknown-key.ts';
import type { Host } from '../host.ts';

/** The sections that tools are made from, and the flags of a command itself. */
export interface ReadToolSections<Flags extends z.ZodObject> {
  readonly resolved: ResolvedToolsConfig;
  readonly given: z.output<Flags>;
}

/**
 * Reads the configuration of tools from the file that `--config` names, the variables and the flags.
 * @throws ConfigError for anything that does not fit
 */
export async function readToolSections<Flags extends z.ZodObject>(
  host: Host,
  args: readonly string[],
  { command, flags }: { readonly command: string; readonly flags: Flags },
): Promise<ReadToolSections<Flags>> {
  const configPath = readFlag(args, 'config');
  const yaml = configPath === undefined ? undefined : await readConfigFile(host, configPath);
  const ownFields = describeFields(flags);
  const resolved = resolve({ variables: host.variables, yaml, argv: args, ownFields });
  return { resolved, given: checkOwnFlags(flags, resolved.own, command) };
}

function resolve(sources: ToolsConfigSources): ResolvedToolsConfig {
  try {
    return resolveToolsConfig(sources);
  } catch (error) {
    throw explainUnknownKey(error, describeFields(z.object({ tools: toolsConfigSchema })));
  }
}
