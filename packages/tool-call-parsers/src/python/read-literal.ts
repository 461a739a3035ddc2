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
  while (last !== 'value' || closers.length > 0) {
    window.index = skipWhiteSpace(window.source, window.index);
    const next = window.source.charAt(window.index);
    const closer = closers.at(-1) ?? '';
    if (next === '') {
      if (yield* waitForMore(window)) continue;
      return 'a literal';
    }
    if (last === 'key') {
      if (next !== ':') return ':';
      write(': ');
      last = next;
    } else if (next === (last === '(' ? ')' : closer) && last !== ':') {
      closers.pop();
      write(next === '}' ? next : ']');
      last = 'value';
    } else if (last === 'value') {
      if (next !== ',') return closer === ' ' ? ',' : `, or ${closer}`;
      if (closer === ' ') closers.splice(-1, 1, ')');
      last = next;
    } else {
      const bracket = '([{'.indexOf(next);
      const isKey = closer === '}' && last !== ':';
      if (last === ',') write(', ');
      if (bracket < 0) {
        const reason = readPlainScalar(window, isKey, write) ? undefined : yield* readScalar(window, isKey, write);
        if (reason !== undefined) return reason;
        last = isKey ? 'key' : 'value';
        continue;
      }
      if (isKey) return 'a key';
      if (closers.length === maximumJsonDepth) return tooDeep;
      write('[[{'.charAt(bracket));
      closers.push(' ]}'.charAt(bracket));
      last = next;
    }
    window.index += 1;
  }
  return undefined;
}

/** What most scalars are: a string that is all there, without escapes and controls, or a number as JSON has it. */
const plainScalar = /(["'])([ !#-&(-[\]-\uffff]*)\1(?!\1|$)|(-?(?:0|[1-9]\d*)(?:\.\d+)?)(?=[^-+.\w])/y;

/** Does what {@link readScalar} does if that is easily done. Most can be read so, without a generator. */
function readPlainScalar(window: TextWindow, isKey: boolean, write: (json: string) => void): boolean {
  plainScalar.lastIndex = window.index;
  const [token, , text, number = ''] = plainScalar.exec(window.source) ?? [];
  if (token === undefined) return false;
  window.index += token.length;
  write(number && !isKey ? number : `"${text ?? number}"`);
  return true;
}

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
