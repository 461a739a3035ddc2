import { truncateText } from '@talaria/core';

/** Characters that move the cursor, change colours, reorder text or end a line: C0, DEL, C1, and marks of direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const control = /[\u0000-\u001F\u007F-\u009F\u200E\u200F\u2028-\u202E\u2066-\u2069]+/gu;

/** Longest name or message in a line that people read. */
const maxChars = 300;

/**
 * A text of somebody else, such as an environment or a model server, as part of one line on a terminal: whatever would
 * act on the terminal is a space.
 */
export function oneLine(text: string): string {
  return truncateText(text, maxChars).replace(control, ' ');
}

/** The same for texts that may have several lines. */
export function printable(text: string): string {
  return text.replace(control, (found) => found.replace(/[^\n\t]/gu, ' '));
}
