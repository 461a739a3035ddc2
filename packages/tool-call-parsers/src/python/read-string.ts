import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';

/**
 * What stands in JSON as it stands here: all but quotes, controls and escapes that JSON has not. Much at a time, since
 * the engine's own search is many times faster than a loop; but not everything, since it takes memory for each part.
 */
const plainInDoubleQuotes = /(?:[ !#-[\]-\uffff]+|\\["\\bfnrt]){1,1000}/y;
const plainInSingleQuotes = /(?:[ !#-&(-[\]-\uffff]+|\\["\\bfnrt]){1,1000}/y;

/**
 * All else: an escape, quotes or a control. A back-slash before what is no escape means itself; `x`, `u` and `U` without
 * their digits are found as well, to be refused.
 */
const otherPart = /\\(?:\r?\n|[0-7]{1,3}|x\w\w|u\w{4}|U\w{8}|[\\'"abfnrtvxuU])?|"""|'''|./sy;

/** What has to wait for more: nothing, quotes that may become three, a part of an escape. */
const unfinished = /(?:"{0,2}|'{1,2}|\\(?:[0-7]{0,2}|x.?|u.{0,3}|U.{0,7}|\r)?)$/sy;

/**
 * Reads a Python string, at whose first quote the window stands, and writes it as a JSON string as it comes. Raw line
 * feeds are let pass in every kind of string, as they are in JSON. Gives what was expected where the window stands, or
 * undefined.
 */
export function* readString(window: TextWindow, write: (json: string) => void): Reading<string | undefined> {
  let quotes = '';
  for (;;) {
    const { source, index } = window;
    const plain = quotes.startsWith("'") ? plainInSingleQuotes : plainInDoubleQuotes;
    plain.lastIndex = index;
    if (quotes && plain.test(source)) {
      write(source.slice(index, plain.lastIndex));
      window.index = plain.lastIndex;
    }
    if (quotes && source.startsWith(quotes, window.index)) break;
    unfinished.lastIndex = window.index;
    if (unfinished.test(source)) {
      if (yield* waitForMore(window)) continue;
      if (quotes) {
        window.index = source.length;
        return quotes;
      }
    }
    otherPart.lastIndex = window.index;
    const part = otherPart.exec(source)?.[0] ?? '';
    const json = quotes ? partToJson(part) : '"';
    if (json === undefined) return 'an escape of Python';
    write(json);
    quotes ||= part;
    window.index += part.length;
  }
  write('"');
  window.index += quotes.length;
  return undefined;
}

/** A part of a Python string as it stands in a JSON string; undefined where it is an escape of no character. */
function partToJson(part: string): string | undefined {
  const body = part.slice(1);
  let text = part;
  if (/^\\[\\'"]/.test(part)) text = body;
  else if (/^\\\s/.test(part)) text = '';
  else if (/^\\\w/.test(part)) {
    // The controls from bell to carriage return.
    const control = 'abtnvfr'.indexOf(body);
    const code = control < 0 ? Number(/^\d/.test(body) ? `0o${body}` : `0x${body.slice(1)}`) : control + 7;
    if (!(code <= 0x10ffff)) return undefined;
    text = String.fromCodePoint(code);
  }
  return JSON.stringify(text).slice(1, -1);
}
