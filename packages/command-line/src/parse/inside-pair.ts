/** Whether an offset lies between the two UTF-16 units of one character. */
export function isInsidePair(text: string, offset: number): boolean {
  // Beyond the ends the code is NaN, which no range holds.
  return isBetween(text.charCodeAt(offset), 0xdc00, 0xdfff) && isBetween(text.charCodeAt(offset - 1), 0xd800, 0xdbff);
}

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last;
}
