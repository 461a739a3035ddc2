import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';

/** Length of the longest escape. */
const lookAheadLength = 10;

/** What has to wait for more: nothing, half a character, quotes that may become three, a part of an escape. */
const unfinished = /^(?:[\ud800-\udbff]?|"{1,2}|'{1,2}|\\(?:[0-7]{0,2}|x.?|u.{0,3}|U.{0,7}|\r)?)$/s;

/** Before anything else a back-slash stands for itself. */
const escapeSequence = /^\\([0-7]{1,3}|x\w{2}|u\w{4}|U\w{8}|\r\n?|[\n\\'"abfnrtv]|(?![xuU]))/;

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

const afterDoubleQuote = /["\\]/g;
const afterSingleQuote = /['\\]/g;

/**
 * Reads a Python string, at whose first quote the window stands, and writes it as a JSON string as it comes. Raw line
 * feeds are let pass in every kind of string, as they are in JSON. Gives what was expected where the window stands, or
 * undefined.
 */
export function* readString(window: TextWindow, write: (json: string) => void): Reading<string | undefined> {
  while (unfinished.test(lookAhead(window)) && (yield* waitForMore(window)));
  const [quote = ''] = lookAhead(window);
  const triple = quote.repeat(3);
  const closing = lookAhead(window).startsWith(triple) ? triple : quote;
  window.index += closing.length;
  write('"');
  for (;;) {
    readPlain(window, quote === '"' ? afterDoubleQuote : afterSingleQuote, write);
    const ahead = lookAhead(window);
    if (ahead.startsWith(closing)) break;
    if (unfinished.test(ahead)) {
      if (yield* waitForMore(window)) continue;
      window.index = window.source.length;
      return closing;
    }
    // A quote that does not close is one of the text.
    const [sequence = quote, body = quote] = escapeSequence.exec(ahead) ?? [];
    const text = ahead.startsWith(sequence) ? decodeEscape(body) : undefined;
    if (text === undefined) return 'an escape of Python';
    write(inString(text));
    window.index += sequence.length;
  }
  window.index += closing.length;
  write('"');
  return undefined;
}

function lookAhead(window: TextWindow): string {
  return window.source.slice(window.index, window.index + lookAheadLength);
}

/** Reads up to the next quote or back-slash, or as far as the characters are whole. */
function readPlain(window: TextWindow, stop: RegExp, write: (json: string) => void): void {
  const { source, index } = window;
  stop.lastIndex = index;
  const isStopped = stop.test(source);
  let end = isStopped ? stop.lastIndex - 1 : source.length;
  // The halves of a character are written together, or else they would be escaped.
  if (!isStopped && end > index && /[\ud800-\udbff]/.test(source.charAt(end - 1))) end -= 1;
  if (end > index) write(inString(source.slice(index, end)));
  window.index = end;
}

/** What an escape stands for; undefined where it is none, or beyond all characters. */
function decodeEscape(body: string): string | undefined {
  const code = Number(/^\d/.test(body) ? `0o${body}` : `0x${body.slice(1)}`);
  return simpleEscapes[body] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);
}

/** Text as it stands in a JSON string. */
function inString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
