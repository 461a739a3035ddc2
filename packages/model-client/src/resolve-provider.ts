import { ConfigError, nearestName } from '@talaria/core';
import { type Provider, providers } from './providers.ts';

/** Where to send a model's requests, and under which name. */
export interface ResolvedProvider {
  /** The known endpoint; `null` for a base URL that is not in the table. */
  readonly provider: Provider | null;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** The name for the wire: without the provider's prefix where that chose the endpoint. */
  readonly modelName: string;
  /** Environment variable that may hold the key; `null` for local servers. `OPENAI_API_KEY` for unknown endpoints. */
  readonly apiKeyVariable: string | null;
  /** Whether the endpoint is known to refuse requests without a key. */
  readonly needsKey: boolean;
}

/** Options of {@link resolveProvider}. */
export interface ResolveProviderOptions {
  /** Where the requests shall go, whatever the name says. */
  readonly baseUrl?: string | null | undefined;
}

/**
 * Reads a name of the form `provider/model` (`ollama/qwen3:8b`, `openrouter/anthropic/claude-sonnet-4.5`).
 * With a base URL the name is sent as it is, since a server's own names may hold slashes (`openai/gpt-oss-20b` on vLLM);
 * only the prefix of a local server (`vllm/`, `ollama/`) is taken off. Without one, a bare name (`gpt-4.1`) goes to OpenAI.
 * @throws ConfigError `config.unknown-provider` for an unknown prefix without a base URL, `config.invalid` for a base URL
 * that is none, or an empty name
 */
export function resolveProvider(modelName: string, options: ResolveProviderOptions = {}): ResolvedProvider {
  const slash = modelName.indexOf('/');
  const rest = modelName.slice(slash + 1);
  if (modelName === '' || rest === '') {
    throw new ConfigError(`"${modelName}" names no model`, {
      code: 'config.invalid',
      hint: 'Write the model as provider/model, for example ollama/qwen3:8b or openai/gpt-4.1-mini.',
    });
  }
  const provider = findProvider(modelName);
  if (options.baseUrl) {
    const isLocalPrefix = slash > 0 && provider?.startCommand !== undefined;
    return resolveByUrl(isLocalPrefix ? rest : modelName, options.baseUrl);
  }
  if (provider === undefined) throw unknownProvider(modelName);
  const { baseUrl, apiKeyVariable } = provider;
  return { provider, baseUrl, modelName: rest, apiKeyVariable, needsKey: apiKeyVariable !== null };
}

/**
 * The known endpoint that a model's requests go to: the one at the base URL where there is one, else the one that the
 * name begins with, else OpenAI.
 */
export function findProvider(modelName: string, baseUrl?: string | null): Provider | undefined {
  if (baseUrl) return providerAt(baseUrl);
  const prefix = prefixOf(modelName);
  return providers.find((provider) => provider.prefix === prefix);
}

function prefixOf(modelName: string): string {
  const slash = modelName.indexOf('/');
  return slash < 0 ? 'openai' : modelName.slice(0, slash).toLowerCase();
}

/** The known endpoint at a base URL: for servers on loopback the port decides, else the host. */
export function providerAt(baseUrl: string): Provider | undefined {
  const url = URL.parse(baseUrl);
  if (url === null) return undefined;
  return providers.find((provider) => {
    const known = new URL(provider.baseUrl);
    return isLoopback(known) && isLoopback(url) ? known.port === url.port : known.hostname === url.hostname;
  });
}

/** Whether a URL names the machine itself. */
function isLoopback(url: URL): boolean {
  return url.hostname === 'localhost' || url.hostname === '[::1]' || url.hostname.startsWith('127.');
}

function resolveByUrl(modelName: string, baseUrl: string): ResolvedProvider {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`The base URL "${baseUrl}" is no http or https URL`, {
      code: 'config.invalid',
      hint: 'Write it in full, for example http://127.0.0.1:8000/v1.',
    });
  }
  const provider = providerAt(baseUrl) ?? null;
  return {
    provider,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    modelName,
    apiKeyVariable: provider === null ? 'OPENAI_API_KEY' : provider.apiKeyVariable,
    needsKey: typeof provider?.apiKeyVariable === 'string',
  };
}

function unknownProvider(modelName: string): ConfigError {
  const prefix = prefixOf(modelName);
  const prefixes = providers.map((provider) => provider.prefix);
  const near = nearestName(prefix, prefixes);
  return new ConfigError(`The model "${modelName}" names an unknown provider "${prefix}"`, {
    code: 'config.unknown-provider',
    hint:
      near === undefined
        ? `Known providers: ${prefixes.join(', ')}. For a server of your own, give its base URL.`
        : `Did you mean "${near}/${modelName.slice(prefix.length + 1)}"? For a server of your own, give its base URL.`,
  });
}
