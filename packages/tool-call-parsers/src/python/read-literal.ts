import { maximumJsonDepth } from '../json/json-scanner.ts';
import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { skipWhiteSpace } from '../text/white-space.ts';
import { pythonScalarToJson } from './python-scalar.ts';
import { readString } from './read-string.ts';

/** Why the text is no literal, because of what stands where the window stands, or since the text ended. */
export interface LiteralFault {
  /** The text ended too early, something else was expected, or it nests too deeply. */
  readonly kind: 'truncated' | 'bad-structure' | 'limit';
  /** What was expected; for `limit`, what is wrong. */
  readonly reason: string;
}

const tooDeep = 'nested too deeply';

/**
 * Reads one Python literal and writes it as JSON text as it comes, with `", "` and `": "` between the parts. Nothing is
 * evaluated. Tuples become arrays, and keys that are no strings become strings. Refused is what Python would have to
 * put together first: strings with a prefix or side by side, and a value in parentheses that is no tuple. The literal's
 * text must be kept: the window goes back to a token that cannot stand where it stands.
 * @returns undefined when the window stands right behind the literal, else what is wrong where it stands
 */
export function* readLiteral(window: TextWindow, write: (json: string) => void): Reading<LiteralFault | undefined> {
  const reason = yield* readNested(window, write);
  if (reason === undefined) return undefined;
  const isCut = window.position === window.end;
  return { kind: reason === tooDeep ? 'limit' : isCut ? 'truncated' : 'bad-structure', reason };
}

/** Gives what was expected where the window stands, or undefined. Levels cost an entry in a list, not a generator. */
function* readNested(window: TextWindow, write: (json: string) => void): Reading<string | undefined> {
  /** What closes each open bracket; a space for a parenthesis of which no comma has shown that it is a tuple's. */
  const closers: string[] = [];
  /** What was read last: an opening bracket, a comma or a colon; a whole `key` or `value`; nothing at first. */
  let last = '';
  /** What was read and not written, and how far: many small parts are written together. */
  let json = '';
  let { index } = window;
  const flush = (reason?: string): string | undefined => {
    window.index = index;
    write(json);
    json = '';
    return reason;
  };
  while (last !== 'value' || closers.length > 0) {
    const { source } = window;
    index = skipWhiteSpace(source, index);
    const next = source.charAt(index);
    const closer = closers.at(-1) ?? '';
    if (next === '') {
      flush();
      if (!(yield* waitForMore(window))) return 'a literal';
      index = window.index;
    } else if (last === 'key') {
      if (next !== ':') return flush(':');
      json += ': ';
      last = next;
      index += 1;
    } else if (next === (last === '(' ? ')' : closer) && last !== ':') {
      closers.pop();
      json += next === '}' ? next : ']';
      last = 'value';
      index += 1;
    } else if (last === 'value') {
      if (next !== ',') return flush(closer === ' ' ? ',' : `, or ${closer}`);
      if (closer === ' ') closers.splice(-1, 1, ')');
      last = next;
      index += 1;
    } else {
      const bracket = '([{'.indexOf(next);
      const isKey = closer === '}' && last !== ':';
      if (last === ',') json += ', ';
      if (bracket < 0) {
        last = isKey ? 'key' : 'value';
        // Most scalars stand in JSON as they stand here, and can be read without a generator.
        plainScalar.lastIndex = index;
        if (plainScalar.test(source)) {
          const isQuoted = next === "'";
          const text = source.slice(index + Number(isQuoted), plainScalar.lastIndex - Number(isQuoted));
          const quote = isQuoted || (isKey && next !== '"') ? '"' : '';
          json += quote + text + quote;
          index = plainScalar.lastIndex;
          continue;
        }
        flush();
        const reason = yield* readScalar(window, isKey, write);
        if (reason !== undefined) return reason;
        index = window.index;
      } else if (isKey) return flush('a key');
      else if (closers.length === maximumJsonDepth) return flush(tooDeep);
      else {
        json += '[[{'.charAt(bracket);
        closers.push(' ]}'.charAt(bracket));
        last = next;
        index += 1;
      }
    }
  }
  return flush();
}

/** A string that is all there, without escapes, controls and quotes, or a number as JSON has it. */
const plainScalar =
  /"[ !#-[\]-\uffff]*"(?=[^"])|'[ !#-&(-[\]-\uffff]*'(?=[^'])|-?(?:0|[1-9]\d*)(?:\.\d+)?(?=[^-+.\w])/y;

/** What other names and numbers are made of. */
const scalarCharacters = /[-+.\w]*/y;

/** Writes a scalar as JSON, a key as a string. Gives what was expected where the window stands, or undefined. */
function* readScalar(window: TextWindow, isKey: boolean, write: (json: string) => void): Reading<string | undefined> {
  const start = window.position;
  if (/["']/.test(window.source.charAt(window.index))) return yield* readString(window, write);
  do {
    scalarCharacters.lastIndex = window.index;
    scalarCharacters.test(window.source);
    window.index = scalarCharacters.lastIndex;
  } while (window.index === window.source.length && (yield* waitForMore(window)));
  const json = pythonScalarToJson(window.slice(start, window.position));
  if (json === undefined) {
    // A name that the end of the text follows may have been cut.
    if (window.position < window.end) window.rewind(start);
    return 'a literal';
  }
  write(isKey ? `"${json}"` : json);
  return undefined;
}
