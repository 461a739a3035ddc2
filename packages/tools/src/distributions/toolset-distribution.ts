import { ConfigError, type JsonValue } from '@talaria/core';
import { z } from 'zod';

/** How often each toolset is given to a rollout. Sets are drawn independently of one another. */
export interface ToolsetDistribution {
  readonly name: string;
  readonly description: string;
  /** Percent by the name of the set, 0 to 100; they need not add up to anything. Their order is kept in what is sampled. */
  readonly toolsets: Readonly<Record<string, number>>;
}

const schema = z.strictObject({
  name: z.string().min(1),
  description: z.string().default(''),
  toolsets: z.record(z.string().min(1), z.number().min(0).max(100)),
});

/**
 * Reads a distribution of a user's own: `{name, description, toolsets: {NAME: PERCENT}}`.
 *
 * @param source names it in errors, such as the path of a file
 * @throws ConfigError `config.invalid`
 */
export function parseDistribution(value: JsonValue, source: string): ToolsetDistribution {
  const parsed = schema.safeParse(value);
  if (parsed.success && Object.keys(parsed.data.toolsets).length > 0) return parsed.data;
  const issues = parsed.error?.issues ?? [{ path: ['toolsets'], message: 'Name at least one toolset' }];
  const faults = issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
  throw new ConfigError(`${source} is no distribution of toolsets: ${faults.join('; ')}`, {
    code: 'config.invalid',
    hint: 'Write {name, description, toolsets: {web: 50, terminal: 100}} with percentages from 0 to 100.',
  });
}
