import { maximumJsonDepth } from '../json/json-scanner.ts';
import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { skipWhiteSpace } from '../text/white-space.ts';
import { readScalar, readWholeScalar } from './read-scalar.ts';

/** Why the text is no literal, because of what stands where the window stands, or since the text ended. */
export interface LiteralFault {
  /** The text ended too early, something else was expected, or it nests too deeply. */
  readonly kind: 'truncated' | 'bad-structure' | 'limit';
  /** What was expected; for `limit`, what is wrong. */
  readonly reason: string;
}

/** What may come next: a value; the first or another item of an open bracket, or its end; a colon; a comma or the end. */
type Expectation = 'value' | 'first' | 'next' | 'colon' | 'comma';

const tooDeep = 'nested too deeply';

/**
 * What closes a bracket. A parenthesis is only known to be a tuple's when a comma has come; until then there stands a
 * space, which no character of the text is, since white space is skipped.
 */
const closers: ReadonlyMap<string, string> = new Map([
  ['(', ' '],
  ['[', ']'],
  ['{', '}'],
]);

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
  if (reason === tooDeep) return { kind: 'limit', reason };
  return { kind: window.position === window.end ? 'truncated' : 'bad-structure', reason };
}

/** Gives what was expected where the window stands, or undefined. Levels cost an entry in a list, not a generator. */
function* readNested(window: TextWindow, write: (json: string) => void): Reading<string | undefined> {
  /** What closes each open bracket. */
  const open: string[] = [];
  let expected: Expectation = 'value';
  while (open.length > 0 || expected === 'value') {
    window.index = skipWhiteSpace(window.source, window.index);
    const character = window.source.charAt(window.index);
    if (character === '') {
      if (yield* waitForMore(window)) continue;
      return 'a literal';
    }
    const closer = open.at(-1) ?? '';
    if (isClosing(character, closer, expected)) {
      open.pop();
      write(character === '}' ? '}' : ']');
      expected = 'comma';
    } else if (expected === 'comma') {
      if (character !== ',') return closer === ' ' ? ',' : `, or ${closer}`;
      if (closer === ' ') open.splice(-1, 1, ')');
      expected = 'next';
    } else if (expected === 'colon') {
      if (character !== ':') return ':';
      write(': ');
      expected = 'value';
    } else {
      if (expected === 'next') write(', ');
      const isKey: boolean = closer === '}' && expected !== 'value';
      const opened = closers.get(character);
      if (opened === undefined) {
        const reason = readWholeScalar(window, isKey, write) ? undefined : yield* readScalar(window, isKey, write);
        if (reason !== undefined) return reason;
        expected = isKey ? 'colon' : 'comma';
        continue;
      }
      if (isKey) return 'a key';
      if (open.length === maximumJsonDepth) return tooDeep;
      write(character === '{' ? '{' : '[');
      open.push(opened);
      expected = 'first';
    }
    window.index += 1;
  }
  return undefined;
}

function isClosing(character: string, closer: string, expected: Expectation): boolean {
  if (closer === ' ') return character === ')' && expected === 'first';
  return character === closer && expected !== 'value' && expected !== 'colon';
}
