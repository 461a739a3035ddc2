import {
  collectSecrets,
  collectVariableSecrets,
  type FieldDescription,
  type MergedConfig,
  type Variables,
} from '@talaria/config';
import type { Secret } from '@talaria/core';

/** Sections whose texts go to servers as they are, keys in them included. */
const holders = ['tools.mcp_servers.', 'browser.cdp_url'];

/** The secrets of a configuration: its keys, and what variables put into texts that go to the servers of tools. */
export function findSecrets(
  { values, templates }: MergedConfig,
  fields: readonly FieldDescription[],
  variables: Variables,
): readonly Secret[] {
  const inTexts = collectVariableSecrets(templates, variables, (path) =>
    holders.some((holder) => path.startsWith(holder)),
  );
  return [...collectSecrets(values, fields, templates), ...inTexts];
}
