import type { JsonObject } from '@talaria/core';

/** A text that a tool gave in parts, put together again; or why it could not be. */
export type WholeText =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** How often a text is read that is another one before its end is reached. */
const maxReadings = 3;

/**
 * Puts a text together of which a tool gave the first part: `field` holds the text, `next_offset` says where the next part
 * begins, `total_chars` how long the whole is. A text that changes on the way is read from its beginning again.
 */
export async function readWhole(
  first: JsonObject,
  field: string,
  readFrom: (offset: number) => Promise<JsonObject>,
): Promise<WholeText> {
  let beginning = first;
  for (let reading = 1; reading <= maxReadings; reading += 1) {
    const outcome = await readOnce(beginning, field, readFrom);
    if (outcome.kind !== 'changed') return outcome;
    if (reading < maxReadings) beginning = await readFrom(0);
  }
  return { kind: 'failed', reason: `It changed while it was read, ${maxReadings} times.` };
}

/** Reads from one first part to the end. */
async function readOnce(
  first: JsonObject,
  field: string,
  readFrom: (offset: number) => Promise<JsonObject>,
): Promise<WholeText | { readonly kind: 'changed' }> {
  const { total_chars: totalChars } = first;
  let text = '';
  let part = first;
  for (;;) {
    const { error, next_offset: nextOffset, total_chars: partTotal } = part;
    if (partTotal !== undefined && partTotal !== totalChars) return { kind: 'changed' };
    if (typeof error === 'string' && error !== '') return { kind: 'failed', reason: error };
    const piece = part[field];
    text += typeof piece === 'string' ? piece : '';
    if (typeof nextOffset !== 'number') break;
    // Where a part ends with its line, the line break stands between the parts.
    if (nextOffset === text.length + 1) text += '\n';
    if (nextOffset !== text.length || nextOffset === 0) return { kind: 'changed' };
    part = await readFrom(nextOffset);
  }
  return part === first || text.length === totalChars ? { kind: 'read', text } : { kind: 'changed' };
}
