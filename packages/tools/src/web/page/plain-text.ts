const blockTag = /^<(?:br|\/?(?:p|div|li|ul|ol|tr|table|h[1-6]|section|article|pre|blockquote))\b/i;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/**
 * The text of HTML without any of its structure, in time proportional to its length: what is left of pages that the real
 * conversion cannot manage.
 */
export function htmlToPlainText(html: string): string {
  return withoutTags(withoutElements(html))
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, decodeEntity)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[\s]*/g, '\n')
    .trim();
}

/** Leaves out what is not meant to be read. Looks for the ends one after another: an expression would look again and again. */
function withoutElements(html: string): string {
  const parts: string[] = [];
  const opening = /<!--|<(script|style|noscript|template|svg)\b/gi;
  let position = 0;
  for (let found = opening.exec(html); found !== null; found = opening.exec(html)) {
    parts.push(html.slice(position, found.index));
    const closing = found[1] === undefined ? /-->/g : new RegExp(`</${found[1]}\\s*>`, 'gi');
    closing.lastIndex = found.index;
    if (closing.exec(html) === null) return parts.join(' ');
    position = closing.lastIndex;
    opening.lastIndex = position;
  }
  parts.push(html.slice(position));
  return parts.join(' ');
}

/**
 * Leaves out tags, of which those of blocks end a line. As in a browser a tag ends at the first `>`, whatever stands before
 * it, and what no `>` follows is text.
 */
function withoutTags(html: string): string {
  const parts: string[] = [];
  const opening = /<[a-z/!?]/gi;
  let position = 0;
  for (let found = opening.exec(html); found !== null; found = opening.exec(html)) {
    const end = html.indexOf('>', opening.lastIndex);
    if (end === -1) break;
    parts.push(html.slice(position, found.index), blockTag.test(html.slice(found.index, end)) ? '\n' : ' ');
    position = end + 1;
    opening.lastIndex = position;
  }
  parts.push(html.slice(position));
  return parts.join('');
}

function decodeEntity(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
}
