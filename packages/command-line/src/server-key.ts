import { type JsonObject, Secret } from '@talaria/core';
import type { ServerConfig } from '@talaria/environments';

/**
 * The key that the configuration found for a server, named after the variable that it came from; `null` where there is
 * none.
 *
 * @param described - the same server as it is written down: its key stands there as `${NAME}`
 */
export function serverKey(server: ServerConfig, described: JsonObject): Secret | null {
  if (server.api_key === null || server.api_key === '') return null;
  return new Secret(variableIn(described['api_key']) ?? 'openai.api_key', server.api_key);
}

function variableIn(template: unknown): string | null {
  return typeof template === 'string' ? (/^\$\{(\w+)\}$/.exec(template)?.[1] ?? null) : null;
}
