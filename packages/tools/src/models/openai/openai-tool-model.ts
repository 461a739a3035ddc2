import { type ChatMessage, isJsonObject, type JsonObject, type JsonValue, ModelError, type Usage } from '@talaria/core';
import type { ToolModel } from '../ports.ts';
import { isOfficialHost, type OpenAiEndpointOptions } from './endpoint-options.ts';
import { createOpenAiEndpoint } from './openai-endpoint.ts';

/** What {@link createOpenAiToolModel} takes. */
export interface OpenAiToolModelOptions extends OpenAiEndpointOptions {
  /**
   * Whether a temperature is sent. @default false for models on OpenAI's own hosts that always reason and refuse it, true
   * elsewhere
   */
  readonly sendsTemperature?: boolean | undefined;
  /** Fields put over the body of every request. @default none */
  readonly extraBody?: JsonObject | undefined;
}

/**
 * A model behind an OpenAI-compatible endpoint. Sends nothing yet. Requests that fail for the moment are sent again; what
 * fails for good rejects with a `ModelError` that holds no key.
 *
 * @throws ConfigError `config.invalid`
 */
export function createOpenAiToolModel(options: OpenAiToolModelOptions): ToolModel {
  const endpoint = createOpenAiEndpoint(options);
  const { baseUrl, extraBody, model } = options;
  const isOfficial = isOfficialHost(baseUrl);
  const alwaysReasons = /^(?:o\d|gpt-5)/.test(model) && !model.includes('-chat');
  const sendsTemperature = options.sendsTemperature ?? !(isOfficial && alwaysReasons);
  return {
    name: options.name ?? model,
    async ask({ messages, maxTokens, temperature }, { signal }) {
      const answer = await endpoint.post(
        '/chat/completions',
        {
          model,
          messages: messages.map(toWireMessage),
          ...(maxTokens === undefined ? {} : { [isOfficial ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
          ...(temperature === undefined || !sendsTemperature ? {} : { temperature }),
          ...extraBody,
        },
        signal,
      );
      return { text: textOf(answer, baseUrl), usage: usageOf(answer['usage']) };
    },
  };
}

/** A message is stored as it is sent; fields that are undefined go nowhere. */
function toWireMessage(message: ChatMessage): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(message));
  return isJsonObject(copy) ? copy : {};
}

function textOf(answer: JsonObject, baseUrl: string): string {
  const choices = answer['choices'];
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  const message = isJsonObject(choice) ? choice['message'] : undefined;
  if (!isJsonObject(message)) {
    throw new ModelError(`${baseUrl} answered without a message`, {
      code: 'model.empty-response',
      hint: 'Providers do this when they are overloaded or filter silently: try again, or another model.',
      retryable: true,
    });
  }
  const { content } = message;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('');
}

function usageOf(value: JsonValue | undefined): Usage | null {
  if (!isJsonObject(value)) return null;
  const count = (name: string): number => {
    const number = value[name];
    return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : 0;
  };
  const [prompt, completion] = [count('prompt_tokens'), count('completion_tokens')];
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: count('total_tokens') || prompt + completion,
  };
}
