import {
  type AssistantMessage,
  type CreateId,
  createId as createRandomId,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ToolCall,
} from '@talaria/core';
import { extractReasoning } from './reasoning.ts';

/** Options of {@link normaliseAssistantMessage}. */
export interface NormaliseOptions {
  /** Makes ids for calls that have none of their own. @default random */
  readonly createId?: CreateId | undefined;
}

/**
 * An assistant message as a provider sent it, in the one shape that is stored: content is text or null, every call has a
 * unique id that is not empty, arguments are text (an object's JSON; `''` for null and nothing), reasoning is in
 * `reasoning_content`, and `reasoning_details` stay as they were. Never throws: what cannot be read is left out.
 */
export function normaliseAssistantMessage(message: JsonObject, options: NormaliseOptions = {}): AssistantMessage {
  const { text, details } = extractReasoning(message);
  const calls = normaliseToolCalls(message['tool_calls'], options);
  const refusal = message['refusal'];
  return {
    role: 'assistant',
    content: contentText(message['content']),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(text === '' ? {} : { reasoning_content: text }),
    ...(details === undefined ? {} : { reasoning_details: details }),
    ...(typeof refusal === 'string' ? { refusal } : {}),
  };
}

/** The calls of a message as a provider sent them, normalised as in {@link normaliseAssistantMessage}. */
export function normaliseToolCalls(calls: JsonValue | undefined, options: NormaliseOptions = {}): readonly ToolCall[] {
  const { createId = createRandomId } = options;
  if (!Array.isArray(calls)) return [];
  const usedIds = new Set<string>();
  return calls.filter(isJsonObject).map((call) => {
    // Some servers leave out the inner object and write its fields beside the id.
    const inner = isJsonObject(call['function']) ? call['function'] : call;
    const given = call['id'];
    const isUsable = typeof given === 'string' && given !== '' && !usedIds.has(given);
    const id = isUsable ? given : createId('call');
    usedIds.add(id);
    const name = inner['name'];
    return {
      id,
      type: 'function',
      function: { name: typeof name === 'string' ? name : '', arguments: argumentsText(inner['arguments']) },
    };
  });
}

/** Arguments as text: text as it is, nothing and null as `''`, any other value as its JSON. */
export function argumentsText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  try {
    return JSON.stringify(value);
  } catch {
    // Nested deeper than the stack: such text can be parsed, but not written.
    return '';
  }
}

/** Content as text or null; a list of parts, as some servers send, is the text in it. */
export function contentText(content: JsonValue | undefined): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  return content
    .filter(isJsonObject)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}
