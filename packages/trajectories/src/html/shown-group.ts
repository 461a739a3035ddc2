import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@talaria/core';

/** Lines of a group file, as text or parsed. */
export type GroupLines = Iterable<string | JsonObject> | AsyncIterable<string | JsonObject>;

/** A line that can be shown. Its rollouts are as many as it has messages and scores: unequal lengths are cut. */
export interface ShownGroup {
  readonly messageRows: readonly JsonValue[];
  readonly scores: readonly JsonValue[];
  readonly meta: JsonObject;
}

/** The group of a line, or in words why it cannot be shown; `null` for a blank line. */
export function toShownGroup(line: string | JsonObject): ShownGroup | string | null {
  if (typeof line === 'string' && line.trim() === '') return null;
  const parsed = typeof line === 'string' ? parseJson(line) : { ok: true as const, value: line };
  if (!parsed.ok) return `not JSON: ${parsed.message}`;
  if (!isJsonObject(parsed.value)) return 'not an object';
  const { messages, scores, meta } = parsed.value;
  if (!Array.isArray(messages) || !Array.isArray(scores)) return 'it has no `messages` or no `scores`';
  if (messages.length === 0 || scores.length === 0) return 'the group is empty';
  const count = Math.min(messages.length, scores.length);
  return {
    messageRows: messages.slice(0, count),
    scores: scores.slice(0, count),
    meta: isJsonObject(meta) ? meta : {},
  };
}
