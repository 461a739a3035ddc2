import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { pythonNumberToJson } from './python-number.ts';
import { pythonWords } from './python-words.ts';
import { readString } from './read-string.ts';

/** The end of what may be a name or a number. */
const tokenEnd = /[^-+.\w]/g;

/**
 * Reads a string as it comes, or a name or a number when it is whole, and writes it as JSON, quoted if it is a key.
 * Gives what was expected where the window stands, or undefined.
 */
export function* readScalar(
  window: TextWindow,
  isKey: boolean,
  write: (json: string) => void,
): Reading<string | undefined> {
  const start = window.position;
  if (/["']/.test(window.source.charAt(window.index))) return yield* readString(window, write);
  let token = '';
  do {
    const { source, index } = window;
    tokenEnd.lastIndex = index;
    window.index = tokenEnd.test(source) ? tokenEnd.lastIndex - 1 : source.length;
    token += source.slice(index, window.index);
  } while (window.index === window.source.length && (yield* waitForMore(window)));
  const json = pythonWords.get(token) ?? pythonNumberToJson(token);
  if (json === undefined) {
    // A token that the end of the text follows may have been cut.
    if (window.position < window.end) window.rewind(start);
    return 'a literal';
  }
  write(isKey ? `"${json}"` : json);
  return undefined;
}
