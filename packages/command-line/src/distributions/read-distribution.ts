import { extname } from 'node:path';
import { parseYamlConfig } from '@talaria/config';
import { getDistribution, parseDistribution, type ToolsetDistribution } from '@talaria/tools';
import { readConfigFile } from '../config-file.ts';
import type { Host } from '../host.ts';

const fileExtensions: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/**
 * Finds a distribution: one by its name, or one of the user's own in a YAML or JSON file.
 * @throws ConfigError `config.unknown-distribution`, `config.unreadable-file`, `config.invalid`
 */
export async function readDistribution(host: Host, target: string): Promise<ToolsetDistribution> {
  if (!fileExtensions.has(extname(target).toLowerCase())) return getDistribution(target);
  const { text, fileName } = await readConfigFile(host, target, 'distribution');
  return parseDistribution(parseYamlConfig(text, fileName, host.variables).values, fileName);
}
