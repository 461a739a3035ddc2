import type { JsonObject } from '@talaria/core';

/** Fields of a detail that are written piece by piece. */
const grownFields = ['text', 'summary', 'data'] as const;

/**
 * The structured reasoning of a stream as the endpoint would have sent it whole: pieces of the same type and index that
 * follow each other become one, their texts joined, other fields from the last piece that has them.
 */
export function mergeReasoningDetails(pieces: readonly JsonObject[]): JsonObject[] {
  const groups: JsonObject[][] = [];
  for (const piece of pieces) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const isContinued = first !== undefined && first['type'] === piece['type'] && first['index'] === piece['index'];
    if (isContinued && piece['index'] !== undefined) group?.push(piece);
    else groups.push([piece]);
  }
  return groups.map(mergeGroup);
}

function mergeGroup(pieces: readonly JsonObject[]): JsonObject {
  const present = pieces.map((piece) =>
    Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null)),
  );
  const grown = grownFields.flatMap((field) => {
    const texts = pieces.map((piece) => piece[field]).filter((value) => typeof value === 'string');
    return texts.length === 0 ? [] : [[field, texts.join('')] as const];
  });
  return Object.assign({}, ...pieces, ...present, Object.fromEntries(grown));
}
