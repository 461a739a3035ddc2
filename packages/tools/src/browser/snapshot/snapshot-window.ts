/** A part of a snapshot. */
export interface SnapshotWindow {
  readonly text: string;
  /** Where the next part begins; `null` at the end. */
  readonly nextOffset: number | null;
}

/**
 * The part that begins at `offset` and has at most `maxChars` UTF-16 units. Ends at the border of a line; only a line that is
 * longer than all that is cut within, between two characters.
 */
export function snapshotWindow(text: string, offset: number, maxChars: number): SnapshotWindow {
  const rest = text.slice(offset);
  if (rest.length <= maxChars) return { text: rest, nextOffset: null };
  const lastBreak = rest.lastIndexOf('\n', maxChars);
  if (lastBreak > 0) return { text: rest.slice(0, lastBreak), nextOffset: offset + lastBreak + 1 };
  const length = isInsidePair(rest, maxChars) ? maxChars - 1 : maxChars;
  return { text: rest.slice(0, length), nextOffset: offset + length };
}

function isInsidePair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  return before >= 0xd800 && before <= 0xdbff;
}
