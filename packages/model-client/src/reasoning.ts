import { isJsonObject, type JsonObject, type JsonValue } from '@talaria/core';

/** A model's reasoning, whatever field the provider used. */
export interface ExtractedReasoning {
  /** `''` where there is none. */
  readonly text: string;
  /** The provider's structured reasoning, verbatim; undefined where there is none. */
  readonly details: readonly JsonObject[] | undefined;
}

/**
 * Reads the reasoning of a message, or of one piece of a streamed message: the first that is not empty of
 * `reasoning_content`, `reasoning`, and the `text` of all `reasoning_details` together (spec/environments.md 7.5).
 * `<think>` blocks in the content are not touched.
 */
export function extractReasoning(message: JsonObject): ExtractedReasoning {
  const list = message['reasoning_details'];
  const details = Array.isArray(list) ? list.filter(isJsonObject) : [];
  return {
    text: textOf(message['reasoning_content']) || textOf(message['reasoning']) || details.map(detailText).join(''),
    details: details.length === 0 ? undefined : details,
  };
}

function detailText(detail: JsonObject): string {
  return textOf(detail['text']);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
