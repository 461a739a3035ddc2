import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { pythonNumberToJson } from './python-number.ts';
import { pythonWords } from './python-words.ts';
import { readString } from './read-string.ts';

/** A string without escapes and controls, or a name or a number, when its end is seen. */
const wholeScalar = /(["'])[ !#-&(-[\]-\uffff]*\1(?!\1|$)|[-+.\w]+(?=[^-+.\w])/y;

/** The end of what may be a name or a number. */
const tokenEnd = /[^-+.\w]/g;

/** Reads a scalar if that is easily done. Most can be read so, without a generator. */
export function readWholeScalar(window: TextWindow, isKey: boolean, write: (json: string) => void): boolean {
  const { source, index } = window;
  wholeScalar.lastIndex = index;
  if (!wholeScalar.test(source)) return false;
  const token = source.slice(index, wholeScalar.lastIndex);
  const json = /^["']/.test(token) ? `"${token.slice(1, -1)}"` : tokenToJson(token, isKey);
  if (json === undefined) return false;
  window.index = wholeScalar.lastIndex;
  write(json);
  return true;
}

/**
 * Reads a string as it comes, or a name or a number when it is whole, and writes it as JSON. Gives what was expected
 * where the window stands, or undefined.
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
  const json = tokenToJson(token, isKey);
  if (json === undefined) {
    // A token that the end of the text follows may have been cut.
    if (window.position < window.end) window.rewind(start);
    return 'a literal';
  }
  write(json);
  return undefined;
}

/** A name or a number as JSON, in quotes if it is a key. */
function tokenToJson(token: string, isKey: boolean): string | undefined {
  const json = pythonWords.get(token) ?? pythonNumberToJson(token);
  return json && isKey ? `"${json}"` : json;
}
