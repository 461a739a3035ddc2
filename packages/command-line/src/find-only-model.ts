import { ConfigError } from '@talaria/core';
import type { ServerConfig } from '@talaria/environments';
import { resolveProvider } from '@talaria/model-client';
import type { Host } from './host.ts';
import { type ListedModels, listModels } from './list-models.ts';
import { serverKey } from './server-key.ts';

/** The value of `openai.model_name` that says that nobody named a model. */
export const unnamedModel = 'default';

const timeoutMs = 10_000;
const maxNamed = 10;

/**
 * The model of a server whose address is known and whose model nobody named: the only one that it offers. `null` where
 * there is nothing to find.
 * @throws ConfigError `config.missing-model` that names what it offers
 */
export async function findOnlyModel(host: Host, servers: readonly ServerConfig[]): Promise<string | null> {
  const [server] = servers;
  if (server === undefined || servers.length > 1) return null;
  if (server.model_name !== unnamedModel || server.base_url === null) return null;
  const { baseUrl } = resolveProvider(server.model_name, { baseUrl: server.base_url });
  const listed = await listModels(host, { baseUrl, apiKey: serverKey(server, {}), timeoutMs });
  const [only, ...others] = listed.kind === 'models' ? listed.models : [];
  if (only !== undefined && others.length === 0) return only;
  throw new ConfigError(`No model is named, and ${describe(baseUrl, listed)}`, {
    code: 'config.missing-model',
    hint: only === undefined ? 'Name it: --model NAME' : `Choose one: --model ${only}`,
  });
}

function describe(baseUrl: string, listed: ListedModels): string {
  switch (listed.kind) {
    case 'models':
      return listed.models.length === 0 ? `${baseUrl} offers none` : `${baseUrl} offers ${nameSome(listed.models)}`;
    case 'refused':
      return `${baseUrl}/models refuses the key (${listed.status})`;
    case 'other':
      return `${baseUrl}/models gives no list of them (${listed.status})`;
    case 'silent':
      return `${baseUrl} does not answer: ${listed.reason}`;
  }
}

/** Up to ten names. */
export function nameSome(models: readonly string[]): string {
  const more = models.length - maxNamed;
  return `${models.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
