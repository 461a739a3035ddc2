/** Finds the first occurrence of one tag in a streamed text. It holds back what may be the beginning of the tag. */
export interface TagFinder {
  /** The text before the tag that is certain now, and, once the tag is there, what follows it. */
  push(text: string): { readonly before: string; readonly after: string | undefined };
  /** What is held back, now that the tag cannot be completed any more. */
  flush(): string;
}

/** A finder for one stream. */
export function createTagFinder(tag: string): TagFinder {
  let held = '';
  return {
    push(text) {
      const source = held + text;
      const at = source.indexOf(tag);
      if (at >= 0) {
        held = '';
        return { before: source.slice(0, at), after: source.slice(at + tag.length) };
      }
      const end = partialTagStart(source, tag);
      held = source.slice(end);
      return { before: source.slice(0, end), after: undefined };
    },
    flush() {
      const text = held;
      held = '';
      return text;
    },
  };
}

/** Where the end of a text may be the beginning of the tag; else its length. */
function partialTagStart(source: string, tag: string): number {
  const first = tag.charAt(0);
  let index = source.indexOf(first, Math.max(0, source.length - tag.length + 1));
  while (index >= 0 && !tag.startsWith(source.slice(index))) index = source.indexOf(first, index + 1);
  return index < 0 ? source.length : index;
}
