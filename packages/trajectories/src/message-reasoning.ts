import { type AssistantMessage, isJsonObject, type JsonObject } from '@talaria/core';

/** The fields that may hold a message's reasoning, in the order in which they are asked. */
type ReasoningFields = Pick<AssistantMessage, 'reasoning_content' | 'reasoning_details'> | JsonObject;

/**
 * The reasoning of a message as text, whoever stored it: `reasoning_content`, else `reasoning`, else the texts and
 * summaries in `reasoning_details`. `null` where there is none.
 */
export function messageReasoning(message: ReasoningFields): string | null {
  const fields: JsonObject = Object.fromEntries(Object.entries(message));
  for (const text of [fields['reasoning_content'], fields['reasoning']]) {
    if (typeof text === 'string' && text !== '') return text;
  }
  const details = fields['reasoning_details'];
  if (!Array.isArray(details)) return null;
  const texts = details.filter(isJsonObject).flatMap(({ text, summary }) => {
    const known = typeof text === 'string' ? text : summary;
    return typeof known === 'string' && known !== '' ? [known] : [];
  });
  return texts.length === 0 ? null : texts.join('\n');
}
