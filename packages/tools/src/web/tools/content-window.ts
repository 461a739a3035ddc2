/** A part of a page's content. */
export interface ContentWindow {
  readonly content: string;
  /** Where the part after this one begins; `null` where this is the end. */
  readonly nextOffset: number | null;
}

/** Cuts `maxChars` UTF-16 units from `offset` on, never inside a surrogate pair. */
export function cutWindow(text: string, offset: number, maxChars: number): ContentWindow {
  const start = atCharacterBorder(text, offset);
  const end = atCharacterBorder(text, Math.min(text.length, start + maxChars));
  return { content: text.slice(start, end), nextOffset: end < text.length ? end : null };
}

function atCharacterBorder(text: string, index: number): number {
  const before = text.charCodeAt(index - 1);
  const isInsidePair = index < text.length && before >= 0xd800 && before <= 0xdbff;
  return isInsidePair ? index - 1 : index;
}

/**
 * Takes pictures out that stand in the text itself, as Base64: they would fill it, and nobody can look at them. What they
 * show, as far as somebody wrote it down, stays.
 */
export function withoutInlineImages(markdown: string): string {
  // Every class leaves out how the next match would begin, so that the time stays proportional to the length.
  return markdown
    .replace(/!\[([^\][\n]{0,1000})\]\(\s*<?data:image\/[^()[\]<>!\s]*>?[^()[\]\n]{0,200}\)/g, '$1')
    .replace(/<img\b[^<>]*>/gi, (tag) => (/\bsrc\s*=\s*["']?data:image\//i.test(tag) ? '' : tag))
    .replace(/data:image\/[a-z0-9.+-]{1,40};base64,[A-Za-z0-9+/=_-]+/gi, '[inline picture]');
}
