import {
  type AssistantMessage,
  type ChatMessage,
  isJsonObject,
  type JsonObject,
  type ToolDefinition,
} from '@talaria/core';
import { z } from 'zod';

/** Any JSON object, as it is. */
export const jsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>(isJsonObject, 'Expected an object');

const contentPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({
    type: z.literal('image_url'),
    image_url: z.looseObject({ url: z.string(), detail: z.string().optional() }),
  }),
  z.looseObject({
    type: z.literal('input_audio'),
    input_audio: z.looseObject({ data: z.string(), format: z.string() }),
  }),
]);

const content = z.union([z.string(), z.array(contentPart)]);
const contentOrNothing = content.nullish().transform((value) => value ?? '');
const textOrNothing = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const assistantMessage = z
  .looseObject({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
    reasoning: z.string().nullish(),
    reasoning_content: z.string().nullish(),
    reasoning_details: z.array(jsonObject).nullish(),
    refusal: z.string().nullable().exactOptional(),
  })
  .transform(toAssistantMessage);

/** Reads one message; what it holds beyond the known fields is kept. */
export const chatMessage: z.ZodType<ChatMessage> = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content: contentOrNothing }),
  z.looseObject({ role: z.literal('user'), content: contentOrNothing }),
  assistantMessage,
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string(), content: textOrNothing }),
]);

/** Reads the definition of one tool. */
export const toolDefinition: z.ZodType<ToolDefinition> = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string(),
    description: z.string().exactOptional(),
    parameters: jsonObject.exactOptional(),
    strict: z.boolean().exactOptional(),
  }),
});

interface ForeignAssistantMessage {
  readonly role: 'assistant';
  readonly content?: string | null | undefined;
  readonly tool_calls?: AssistantMessage['tool_calls'] | null;
  readonly reasoning?: string | null | undefined;
  readonly reasoning_content?: string | null | undefined;
  readonly reasoning_details?: AssistantMessage['reasoning_details'] | null;
}

/** Other programs write `null` for what is absent, and `reasoning` for what is `reasoning_content` here. */
function toAssistantMessage(message: ForeignAssistantMessage): AssistantMessage {
  const { content, tool_calls, reasoning, reasoning_content, reasoning_details, ...others } = message;
  const reasoningText = reasoning_content ?? reasoning;
  return {
    ...others,
    content: content ?? null,
    ...(tool_calls ? { tool_calls } : {}),
    ...(typeof reasoningText === 'string' ? { reasoning_content: reasoningText } : {}),
    ...(reasoning_details ? { reasoning_details } : {}),
  };
}
