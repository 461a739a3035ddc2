import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { cutShort, type LiteralFault, unexpected } from './literal-fault.ts';

/** Length of the longest escape. */
const lookAheadLength = 10;

/** What has to wait for more: nothing, half a character, quotes that may become three, a part of an escape. */
const unfinished =
  /^(?:[\ud800-\udbff]?|"{1,2}|'{1,2}|\\(?:[0-7]{0,2}|x[\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7}|\r)?)$/;

/** Before anything else a back-slash stands for itself. */
const escapeSequence = /^\\([0-7]{1,3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|\r\n?|[\n\\'"abfnrtv]|(?![xuU]))/;
const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['', '\\'],
  ['\n', ''],
  ['\r', ''],
  ['\r\n', ''],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

const afterDoubleQuote = /["\\]/g;
const afterSingleQuote = /['\\]/g;

/**
 * Reads a Python string, at whose first quote the window stands, and writes it as a JSON string as it comes. Raw line
 * feeds are let pass in every kind of string, as they are in JSON.
 */
export function* readString(window: TextWindow, write: (json: string) => void): Reading<LiteralFault | undefined> {
  while (unfinished.test(lookAhead(window)) && (yield* waitForMore(window)));
  const quote = window.source.charAt(window.index);
  const isTriple = window.source.startsWith(quote.repeat(3), window.index);
  const closing = quote.repeat(isTriple ? 3 : 1);
  window.index += closing.length;
  write('"');
  for (;;) {
    readPlain(window, quote, write);
    const ahead = lookAhead(window);
    if (ahead.startsWith(closing)) break;
    if (unfinished.test(ahead)) {
      if (!(yield* waitForMore(window))) return cutShort(closing);
    } else if (ahead.startsWith(quote)) {
      write(inString(quote));
      window.index += 1;
    } else {
      const [sequence = '', body = ''] = escapeSequence.exec(ahead) ?? [];
      const text = sequence && decodeEscape(body);
      if (sequence === '' || text === undefined) return unexpected('an escape of Python');
      write(inString(text));
      window.index += sequence.length;
    }
  }
  window.index += closing.length;
  write('"');
  return undefined;
}

function lookAhead(window: TextWindow): string {
  return window.source.slice(window.index, window.index + lookAheadLength);
}

/** Reads up to the next quote or back-slash, or as far as the characters are whole. */
function readPlain(window: TextWindow, quote: string, write: (json: string) => void): void {
  const { source, index } = window;
  const stops = quote === '"' ? afterDoubleQuote : afterSingleQuote;
  stops.lastIndex = index;
  const isStopped = stops.test(source);
  let end = isStopped ? stops.lastIndex - 1 : source.length;
  // The halves of a character are written together, or else they would be escaped.
  if (!isStopped && end > index && unfinished.test(source.charAt(end - 1))) end -= 1;
  if (end > index) write(inString(source.slice(index, end)));
  window.index = end;
}

/** What an escape stands for; undefined for a number beyond all characters. */
function decodeEscape(body: string): string | undefined {
  const simple = simpleEscapes.get(body);
  if (simple !== undefined) return simple;
  const code = /^\d/.test(body) ? Number.parseInt(body, 8) : Number.parseInt(body.slice(1), 16);
  return code > 0x10ffff ? undefined : String.fromCodePoint(code);
}

/** Text as it stands in a JSON string. */
function inString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
