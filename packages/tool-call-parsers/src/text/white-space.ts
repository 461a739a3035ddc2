/** Whether a UTF-16 unit is white space as the formats know it: space, tab, CR, LF, and nothing else. */
export function isWhiteSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** The first index from `from` on that holds no white space, or the text's length. */
export function skipWhiteSpace(text: string, from: number): number {
  let index = from;
  while (index < text.length && isWhiteSpace(text.charCodeAt(index))) index += 1;
  return index;
}

/** The index behind the last character of `text` between `from` and `to` that is no white space, or `from`. */
export function contentEnd(text: string, from = 0, to: number = text.length): number {
  let index = to;
  while (index > from && isWhiteSpace(text.charCodeAt(index - 1))) index -= 1;
  return index;
}

/** The text without white space at its ends. `String.prototype.trim` would take more characters than the formats do. */
export function trimWhiteSpace(text: string): string {
  const start = skipWhiteSpace(text, 0);
  return text.slice(start, contentEnd(text, start));
}
