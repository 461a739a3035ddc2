import type { JsonObject, JsonValue } from '@talaria/core';

/** Fields of a detail that are written piece by piece. */
const grownFields: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

/**
 * The structured reasoning of a stream as the endpoint would have sent it whole: pieces of the same type and index that
 * follow each other become one, their texts joined, other fields from the last piece that has them.
 */
export function mergeReasoningDetails(pieces: readonly JsonObject[]): JsonObject[] {
  const groups: JsonObject[][] = [];
  for (const piece of pieces) {
    const group = groups.at(-1);
    const isContinued =
      piece['index'] !== undefined && group?.[0]?.['index'] === piece['index'] && group[0]['type'] === piece['type'];
    if (isContinued) group?.push(piece);
    else groups.push([piece]);
  }
  return groups.map(mergeGroup);
}

function mergeGroup(pieces: readonly JsonObject[]): JsonObject {
  const merged = new Map<string, JsonValue | undefined>();
  const grown = new Map<string, string[]>();
  for (const piece of pieces) {
    for (const [field, value] of Object.entries(piece)) {
      if (grownFields.has(field) && typeof value === 'string') {
        const parts = grown.get(field) ?? [];
        parts.push(value);
        grown.set(field, parts);
        merged.set(field, '');
      } else if (value !== null || !merged.has(field)) {
        merged.set(field, value);
      }
    }
  }
  for (const [field, parts] of grown) merged.set(field, parts.join(''));
  return Object.fromEntries(merged);
}
