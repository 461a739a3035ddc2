const characters: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Longest entity that is known, such as `&#1114111;`. */
export const longestEntity = 10;

/** Writes the five entities of XML and the numbers of characters as what they stand for. Others stay. */
export function decodeEntities(text: string): string {
  return text.replace(/&(\w+|#\d{1,7}|#x[\da-fA-F]{1,6});/g, (entity, name: string) => {
    if (!name.startsWith('#')) return characters.get(name) ?? entity;
    // `65` is read as 065, and `x41` as 0x41.
    const code = Number(`0${name.slice(1)}`);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}

/** The text as a value of an attribute in double quotes. */
export function encodeEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
