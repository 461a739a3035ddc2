/** Typographic characters and what models write for them. */
const asciiForms: ReadonlyMap<string, string> = new Map([
  ['\u2018', "'"],
  ['\u2019', "'"],
  ['\u201a', "'"],
  ['\u201b', "'"],
  ['\u201c', '"'],
  ['\u201d', '"'],
  ['\u201e', '"'],
  ['\u201f', '"'],
  ['\u2013', '-'],
  ['\u2014', '--'],
  ['\u2026', '...'],
  ['\u00a0', ' '],
]);

const typographic = /[\u2018-\u201f\u2013\u2014\u2026\u00a0]/g;

/** Smart quotes, dashes, ellipses and hard spaces as ASCII. */
export function toAscii(text: string): string {
  return text.replaceAll(typographic, (character) => asciiForms.get(character) ?? character);
}

/** The same, with the original position of each character; inside an expansion `-1`. One more for the end. */
export function toAsciiWithPositions(text: string): { readonly text: string; readonly positions: readonly number[] } {
  let ascii = '';
  const positions: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const form = asciiForms.get(text.charAt(index)) ?? text.charAt(index);
    for (let offset = 0; offset < form.length; offset += 1) positions.push(offset === 0 ? index : -1);
    ascii += form;
  }
  positions.push(text.length);
  return { text: ascii, positions };
}
