import { ConfigError, Secret } from '@talaria/core';
import { resolveProvider } from '@talaria/model-client';
import type { ImageModel, ToolModel } from '@talaria/tools/models';
import type { Host } from '../host.ts';

/** Where a model of a tool answers. */
interface ToolModelEndpoint {
  readonly name: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey: Secret | null;
}

/** Opens a model that a tool asks: `openai/gpt-4.1-mini`, `ollama/llava`. @throws ConfigError `config.missing-key` */
export async function openToolModel(host: Host, name: string): Promise<ToolModel> {
  const { createOpenAiToolModel } = await import('@talaria/tools/models');
  return createOpenAiToolModel({ ...findEndpoint(host, name), clock: host.clock });
}

/** Opens a model that makes images. @throws ConfigError `config.missing-key` */
export async function openImageModel(host: Host, name: string): Promise<ImageModel> {
  const { createOpenAiImageModel } = await import('@talaria/tools/models');
  return createOpenAiImageModel({ ...findEndpoint(host, name), clock: host.clock });
}

/** Secrets of the models that tools ask. */
export function toolModelSecrets(host: Host, names: readonly string[]): readonly Secret[] {
  return names.flatMap((name) => findEndpoint(host, name).apiKey ?? []);
}

function findEndpoint(host: Host, name: string): ToolModelEndpoint {
  const { provider, modelName, baseUrl, apiKeyVariable, needsKey } = resolveProvider(name);
  const key = apiKeyVariable === null ? '' : (host.variables[apiKeyVariable] ?? '');
  if (key === '' && needsKey) {
    throw new ConfigError(`The model ${name} of a tool needs a key, and ${apiKeyVariable} is not set`, {
      code: 'config.missing-key',
      hint: `Set ${apiKeyVariable}, or name another model than one of ${provider?.title ?? 'that provider'}.`,
    });
  }
  const apiKey = key === '' || apiKeyVariable === null ? null : new Secret(apiKeyVariable, key);
  return { name, model: modelName, baseUrl, apiKey };
}
