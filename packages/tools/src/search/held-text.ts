/** Characters of a found line that are held, more than are ever shown of one. */
const maxLineChars = 501;

/** The start of a found line, so that a line of megabytes does not stay for what is shown of it. */
export function heldLine(line: string): string {
  return ownCopy(line.slice(0, maxLineChars));
}

/** The same text with memory of its own: a slice would keep all of the text that it was cut from. */
export function ownCopy(text: string): string {
  return String(JSON.parse(JSON.stringify(text)));
}
