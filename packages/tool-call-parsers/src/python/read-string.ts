import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';

/** Length of the longest escape. */
const lookAheadLength = 10;

/**
 * What stands in JSON as it stands here: all but quotes, controls and escapes that JSON has not. Much at a time, since
 * the engine's own search is many times faster than a loop; but not everything, since it takes memory for each part.
 */
const plainInDoubleQuotes = /(?:[ !#-[\]-\uffff]+|\\["\\bfnrt]){1,1000}/y;
const plainInSingleQuotes = /(?:[ !#-&(-[\]-\uffff]+|\\["\\bfnrt]){1,1000}/y;

/** What has to wait for more: nothing, quotes that may become three, a part of an escape. */
const unfinished = /^(?:"{0,2}|'{1,2}|\\(?:[0-7]{0,2}|x.?|u.{0,3}|U.{0,7}|\r)?)$/s;

/**
 * An escape, or a character that is only not plain: a quote that does not close, or a control. A back-slash before what
 * is no escape stands for itself.
 */
const escapeSequence = /^(?:\\([0-7]{1,3}|x\w{2}|u\w{4}|U\w{8}|\r\n?|[\n\\'"abfnrtv]|(?![xuU]))|[^\\])/;

/** By what follows the back-slash. All other sequences are longer than one character and begin with a digit or `xuU`. */
const simpleEscapes: Readonly<Record<string, string | undefined>> = {
  '': '\\',
  '\n': '',
  '\r': '',
  '\r\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * Reads a Python string, at whose first quote the window stands, and writes it as a JSON string as it comes. Raw line
 * feeds are let pass in every kind of string, as they are in JSON. Gives what was expected where the window stands, or
 * undefined.
 */
export function* readString(window: TextWindow, write: (json: string) => void): Reading<string | undefined> {
  while (unfinished.test(lookAhead(window)) && (yield* waitForMore(window)));
  const quote = window.source.charAt(window.index);
  const triple = quote.repeat(3);
  const closing = lookAhead(window).startsWith(triple) ? triple : quote;
  const plain = quote === '"' ? plainInDoubleQuotes : plainInSingleQuotes;
  window.index += closing.length;
  write('"');
  for (;;) {
    plain.lastIndex = window.index;
    if (plain.test(window.source)) {
      write(window.source.slice(window.index, plain.lastIndex));
      window.index = plain.lastIndex;
    }
    const ahead = lookAhead(window);
    if (ahead.startsWith(closing)) break;
    if (unfinished.test(ahead)) {
      if (yield* waitForMore(window)) continue;
      window.index = window.source.length;
      return closing;
    }
    const [sequence, body] = escapeSequence.exec(ahead) ?? [];
    const text = body === undefined ? sequence : decodeEscape(body);
    if (sequence === undefined || text === undefined) return 'an escape of Python';
    write(JSON.stringify(text).slice(1, -1));
    window.index += sequence.length;
  }
  window.index += closing.length;
  write('"');
  return undefined;
}

function lookAhead(window: TextWindow): string {
  return window.source.slice(window.index, window.index + lookAheadLength);
}

/** What an escape stands for; undefined where it is none, or beyond all characters. */
function decodeEscape(body: string): string | undefined {
  const simple = simpleEscapes[body];
  if (simple !== undefined) return simple;
  const code = Number(/^\d/.test(body) ? `0o${body}` : `0x${body.slice(1)}`);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
