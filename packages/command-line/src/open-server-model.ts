import { ConfigError, isJsonObject, type JsonObject, type Logger, type Secret } from '@talaria/core';
import type { DriverName, ServerConfig } from '@talaria/environments';
import { type ChatModel, type ResolvedProvider, resolveProvider } from '@talaria/model-client';
import { unnamedModel } from './find-only-model.ts';
import type { Host } from './host.ts';
import { serverKey } from './server-key.ts';

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
  if (server.model_name === unnamedModel && server.base_url === null) throw nobodyNamed();
  const provider = resolveProvider(server.model_name, { baseUrl: server.base_url });
  const apiKey = chooseKey(request, provider);
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

/** The key that the configuration found for this server; a known provider refuses without. */
function chooseKey({ server, described }: ServerModelRequest, resolved: ResolvedProvider): Secret | null {
  const key = serverKey(server, described);
  if (key !== null) return key;
  const { provider, apiKeyVariable, needsKey } = resolved;
  if (provider === null || !needsKey) return null;
  throw new ConfigError(`${provider.title} needs a key, and ${apiKeyVariable} is not set`, {
    code: 'config.missing-key',
    hint: `Set ${apiKeyVariable}, in the environment or in a .env file of this folder.`,
  });
}

function nobodyNamed(): ConfigError {
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
