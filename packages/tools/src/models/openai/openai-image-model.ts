import { isJsonObject, type JsonObject, type JsonValue } from '@talaria/core';
import { imageTypeOf } from '../image-type.ts';
import type { GeneratedImage, ImageAspectRatio, ImageModel } from '../ports.ts';
import type { OpenAiEndpointOptions } from './endpoint-options.ts';
import { createOpenAiEndpoint } from './openai-endpoint.ts';

/** What {@link createOpenAiImageModel} takes. */
export interface OpenAiImageModelOptions extends OpenAiEndpointOptions {
  /** The size that is asked for, by shape. @default 1536x1024, 1024x1024 and 1024x1536 */
  readonly sizes?: Readonly<Record<ImageAspectRatio, string>> | undefined;
  /** Fields put over the body of every request, such as `quality`. @default none */
  readonly extraBody?: JsonObject | undefined;
}

const defaultSizes: Readonly<Record<ImageAspectRatio, string>> = {
  landscape: '1536x1024',
  square: '1024x1024',
  portrait: '1024x1536',
};

/**
 * A model that makes images behind an OpenAI-compatible endpoint (`/images/generations`). Sends nothing yet; fails like
 * `createOpenAiToolModel`.
 *
 * @throws ConfigError `config.invalid`
 */
export function createOpenAiImageModel(options: OpenAiImageModelOptions): ImageModel {
  const endpoint = createOpenAiEndpoint(options);
  const { extraBody, model, sizes = defaultSizes } = options;
  return {
    name: options.name ?? model,
    async generate({ prompt, aspectRatio, count }, { signal }) {
      const body = { model, prompt, n: count, size: sizes[aspectRatio], ...extraBody };
      const { data } = await endpoint.post('/images/generations', body, signal);
      const entries = Array.isArray(data) ? data.filter(isJsonObject) : [];
      const revised = entries[0]?.['revised_prompt'];
      return {
        images: entries.flatMap(toImage).slice(0, count),
        revisedPrompt: typeof revised === 'string' && revised !== '' ? revised : null,
      };
    },
  };
}

function toImage(entry: JsonObject): GeneratedImage[] {
  const encoded: JsonValue | undefined = entry['b64_json'];
  if (typeof encoded === 'string' && encoded !== '') {
    const bytes = Buffer.from(encoded, 'base64');
    return [{ bytes, mediaType: imageTypeOf(bytes) ?? 'application/octet-stream' }];
  }
  return typeof entry['url'] === 'string' ? [{ url: entry['url'] }] : [];
}
