import { clipText, type JsonObject, type JsonValue } from '@talaria/core';

/** Values deeper than this are not looked into. */
const maxDepth = 100;
/** What JSON takes for the note about what was cut, and for the notice inside of each text, at most. */
const noteChars = 30;
const noticeChars = 80;
/** A text of which less than this would be left says nothing. */
const minKeptChars = 100;
/** How often the texts are cut shorter, since what they take as JSON can only be guessed before. */
const maxAttempts = 6;

/**
 * JSON of the value in at most `maxChars` UTF-16 units: the longest texts within it are cut to equal lengths, and an object
 * says in `truncated_chars` how much is missing. `undefined` where it is not long texts that make it long.
 */
export function shortenJson(value: JsonValue, maxChars: number): string | undefined {
  const costs = textCosts(value);
  if (costs === undefined) return undefined;
  const otherChars = JSON.stringify(value).length - costs.reduce((sum, cost) => sum + cost, 0) + noteChars;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const shareChars = equalShare(costs, (maxChars - otherChars) * 0.8 ** attempt);
    if (shareChars < minKeptChars + noticeChars) return undefined;
    const shortened = JSON.stringify(cutTexts(value, shareChars));
    if (shortened.length <= maxChars) return shortened;
  }
  return undefined;
}

/** What each text takes as JSON; `undefined` where the value is too deep. */
function textCosts(value: JsonValue): readonly number[] | undefined {
  const costs: number[] = [];
  const open: { readonly value: JsonValue | undefined; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { depth } = next;
    if (depth > maxDepth) return undefined;
    if (typeof next.value === 'string') costs.push(JSON.stringify(next.value).length);
    else if (typeof next.value === 'object' && next.value !== null) {
      for (const inner of Object.values(next.value)) open.push({ value: inner, depth: depth + 1 });
    }
  }
  return costs;
}

/** The largest share that each may take so that all together stay within the budget; below it a text stays whole. */
function equalShare(costs: readonly number[], budgetChars: number): number {
  const ascending = costs.toSorted((left, right) => left - right);
  let rest = budgetChars;
  for (const [index, cost] of ascending.entries()) {
    const share = rest / (ascending.length - index);
    if (cost > share) return Math.floor(share);
    rest -= cost;
  }
  return Number.POSITIVE_INFINITY;
}

function cutTexts(value: JsonValue, shareChars: number): JsonValue {
  let omittedChars = 0;
  function cut(inner: JsonValue): JsonValue {
    if (typeof inner === 'string') {
      const cost = JSON.stringify(inner).length;
      if (cost <= shareChars) return inner;
      const clipped = clipText(inner, Math.floor((inner.length * (shareChars - noticeChars)) / cost));
      omittedChars += clipped.omittedChars;
      return clipped.text;
    }
    if (typeof inner !== 'object' || inner === null) return inner;
    return isArray(inner) ? inner.map(cut) : mapFields(inner, cut);
  }
  const shortened = cut(value);
  const isObject = typeof shortened === 'object' && shortened !== null && !isArray(shortened);
  return isObject ? { ...shortened, truncated_chars: omittedChars } : shortened;
}

/** `Array.isArray` does not tell read-only arrays from objects. */
function isArray(value: JsonObject | readonly JsonValue[]): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function mapFields(object: JsonObject, map: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, value === undefined ? undefined : map(value)]),
  );
}
