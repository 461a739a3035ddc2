import { ConfigError, isJsonObject, type JsonObject, type Logger, Secret } from '@talaria/core';
import type { DriverName, ServerConfig } from '@talaria/environments';
import { type ChatModel, type ResolvedProvider, resolveProvider } from '@talaria/model-client';
import type { Host } from './host.ts';

/** One server of the configuration, and how its key came there. */
export interface ServerModelRequest {
  readonly server: ServerConfig;
  /** The same server as it is written down: its key stands there as `${NAME}`. */
  readonly described: JsonObject;
  readonly driver: DriverName;
  readonly logger: Logger;
}

/**
 * Opens the model that a server of the configuration describes. A model server in a test, on this machine or far away:
 * it is all the same here.
 * @throws ConfigError `config.missing-model`, `config.missing-key`, `config.unknown-provider`
 */
export async function openServerModel(host: Host, request: ServerModelRequest): Promise<ChatModel> {
  const { server, driver, logger } = request;
  if (server.model_name === 'default' && server.base_url === null) throw unnamedModel();
  const provider = resolveProvider(server.model_name, { baseUrl: server.base_url });
  const apiKey = chooseKey(host, request, provider);
  const [{ createOpenAiModel }, sdk, undici] = await Promise.all([
    import('@talaria/model-client/openai'),
    import('openai'),
    import('undici'),
  ]);
  return createOpenAiModel({
    model: provider.modelName,
    name: server.model_name,
    baseUrl: provider.baseUrl,
    apiKey,
    timeoutMs: server.timeout * 1_000,
    maxConcurrentRequests: driver === 'evaluate' ? server.num_requests_for_eval : server.num_max_requests_at_once,
    sdk,
    undici,
    clock: host.clock,
    logger,
  });
}

/**
 * The key of a server. Where the model's name alone chose the provider, a key that was found under another provider's
 * variable is not for it.
 */
function chooseKey(host: Host, { server, described }: ServerModelRequest, provider: ResolvedProvider): Secret | null {
  const { apiKeyVariable } = provider;
  const source = variableIn(described['api_key']);
  const isForeign = server.base_url === null && source !== apiKeyVariable && isFoundByItself(source);
  if (server.api_key !== null && server.api_key !== '' && !isForeign) {
    return new Secret(source ?? 'openai.api_key', server.api_key);
  }
  if (apiKeyVariable === null) return null;
  const key = host.variables[apiKeyVariable];
  if (key !== undefined && key !== '') return new Secret(apiKeyVariable, key);
  // A server of one's own may need none; a known provider refuses without.
  if (provider.provider === null) return null;
  throw new ConfigError(`${provider.provider.title} needs a key, and ${apiKeyVariable} is not set`, {
    code: 'config.missing-key',
    hint: `Set ${apiKeyVariable}, in the environment or in a .env file of this folder.`,
  });
}

/** Whether a key was taken from a variable that nobody named. */
function isFoundByItself(variable: string | null): boolean {
  return variable === 'OPENAI_API_KEY' || variable === 'OPENROUTER_API_KEY';
}

function variableIn(template: unknown): string | null {
  return typeof template === 'string' ? (/^\$\{(\w+)\}$/.exec(template)?.[1] ?? null) : null;
}

function unnamedModel(): ConfigError {
  return new ConfigError('A key is set, but no model is named', {
    code: 'config.missing-model',
    hint: 'Name one: --model openai/gpt-4.1-mini, --model openrouter/VENDOR/NAME, or --model scripted.',
  });
}

/** The servers of a configuration as they are written down, one entry for each. */
export function describedServers(described: JsonObject): readonly JsonObject[] {
  const { openai } = described;
  const list: readonly unknown[] = Array.isArray(openai) ? openai : [openai];
  return list.map((entry) => (isJsonObject(entry) ? entry : {}));
}
