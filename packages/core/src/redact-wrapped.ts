/** A line break and the blanks behind it, as it is or as JSON writes it. Each run of backslashes is read once. */
const lineBreaks = /(?:\r?\n|(?<!\\)(?:\\+r)?\\+n)[ \t]*/g;

/** A part of a text, and what stands there instead. */
interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Replaces texts that were broken into lines, as `base64` and `xxd -p` do, with the breaks inside them.
 *
 * @param replacements what to put in the place of each text, the longest first
 */
export function redactWrapped(text: string, replacements: ReadonlyMap<string, string>): string {
  const breaks = [...text.matchAll(lineBreaks)].map((match) => ({ at: match.index, length: match[0].length }));
  if (breaks.length === 0) return text;
  const joined = text.replace(lineBreaks, '');
  const found = findAll(joined, replacements);
  if (found.length === 0) return text;
  const positionOf = createMap(breaks);
  let result = '';
  let end = 0;
  for (const part of found) {
    // Its last character's position, and one more: a break behind it stays.
    result += text.slice(end, positionOf(part.start)) + part.text;
    end = positionOf(part.end - 1) + 1;
  }
  return result + text.slice(end);
}

/** Where the texts are, from the left, without those that begin within another. */
function findAll(text: string, replacements: ReadonlyMap<string, string>): readonly Replacement[] {
  const found: Replacement[] = [];
  for (const [form, replacement] of replacements) {
    for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + form.length)) {
      found.push({ start, end: start + form.length, text: replacement });
    }
  }
  // The sort is stable: of two that begin together the longer stays first.
  found.sort((left, right) => left.start - right.start);
  let end = 0;
  return found.filter((part) => {
    if (part.start < end) return false;
    end = part.end;
    return true;
  });
}

/** Leads from a place in the joined text to the one in the text, for places that only grow. */
function createMap(breaks: readonly { readonly at: number; readonly length: number }[]): (place: number) => number {
  let next = 0;
  let removed = 0;
  return (place) => {
    for (let entry = breaks[next]; entry !== undefined && entry.at <= place + removed; entry = breaks[next]) {
      removed += entry.length;
      next += 1;
    }
    return place + removed;
  };
}
