import { maximumJsonDepth } from '../json/json-scanner.ts';
import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { skipWhiteSpace } from '../text/white-space.ts';
import { cutShort, type LiteralFault, unexpected } from './literal-fault.ts';
import { createLiteralWriter } from './literal-writer.ts';
import { pythonNumberToJson } from './python-number.ts';
import { readString } from './read-string.ts';

/** What may come next: a value; the first or another item of an open bracket, or its end; a colon; a comma or the end. */
type Expectation = 'value' | 'first' | 'next' | 'colon' | 'comma';

const closers: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);
const words: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
]);
/** The end of what may be a name or a number. */
const tokenEnd = /[^-+.\w]/g;

/**
 * Reads one Python literal and writes it as JSON text as it comes, with `", "` and `": "` between the parts. Nothing is
 * evaluated. Tuples become arrays, keys that are no strings become strings, and a value in parentheses is that value:
 * it waits until it is known not to be a tuple. Strings with a prefix or side by side are refused. The text of the literal
 * must be kept: the window goes back to a token that is none.
 * @returns undefined when the window stands right behind the literal, else what is wrong where it stands
 */
export function* readLiteral(window: TextWindow, write: (json: string) => void): Reading<LiteralFault | undefined> {
  const writer = createLiteralWriter(write);
  /** What closes each open bracket. */
  const open: string[] = [];
  let expected: Expectation = 'value';

  function readSeparator(character: string, closer: string, isInItem: boolean): Expectation | LiteralFault {
    if (isInItem && character === closer) return close(closer, false);
    if (character !== (isInItem ? ',' : ':')) return unexpected(isInItem ? `a comma or ${closer}` : 'a colon');
    window.index += 1;
    if (isInItem) writer.separate();
    else writer.write(': ');
    return isInItem ? 'next' : 'value';
  }

  function openBracket(closer: string): Expectation | LiteralFault {
    if (open.length === maximumJsonDepth) {
      return { kind: 'limit', reason: 'nested too deeply' };
    }
    window.index += 1;
    open.push(closer);
    writer.open(closer);
    return 'first';
  }

  function close(closer: string, isEmpty: boolean): Expectation {
    window.index += 1;
    open.pop();
    writer.close(closer, isEmpty);
    return 'comma';
  }

  function* readValue(character: string, isKey: boolean): Reading<Expectation | LiteralFault> {
    const closer = closers.get(character);
    if (closer !== undefined) return isKey ? unexpected('a key') : openBracket(closer);
    const fault = yield* character === '"' || character === "'"
      ? readString(window, writer.write)
      : readScalar(window, (json) => writer.write(isKey ? `"${json}"` : json));
    return fault ?? (isKey ? 'colon' : 'comma');
  }

  for (;;) {
    window.index = skipWhiteSpace(window.source, window.index);
    const character = window.source.charAt(window.index);
    if (character === '') {
      if (yield* waitForMore(window)) continue;
      return cutShort('a literal');
    }
    const closer = open.at(-1) ?? '';
    const isItem: boolean = expected === 'first' || expected === 'next';
    let outcome: Expectation | LiteralFault;
    if (expected === 'comma' || expected === 'colon') outcome = readSeparator(character, closer, expected === 'comma');
    else if (isItem && character === closer) outcome = close(closer, expected === 'first');
    else {
      if (expected === 'next') writer.write(', ');
      outcome = yield* readValue(character, isItem && closer === '}');
    }
    if (typeof outcome !== 'string') return outcome;
    if (open.length === 0) return undefined;
    expected = outcome;
  }
}

/** Reads a name or a number, and gives it whole. */
function* readScalar(window: TextWindow, write: (json: string) => void): Reading<LiteralFault | undefined> {
  const start = window.position;
  const token = yield* readToken(window);
  const json = words.get(token) ?? pythonNumberToJson(token);
  if (json !== undefined) {
    write(json);
    return undefined;
  }
  // A token that the end of the text follows may have been cut.
  if (window.position === window.end) return cutShort('a literal');
  window.rewind(start);
  return unexpected('a literal');
}

/** Reads a name or a number, however many pieces it spans. */
function* readToken(window: TextWindow): Reading<string> {
  let token = '';
  do {
    const { source, index } = window;
    tokenEnd.lastIndex = index;
    window.index = tokenEnd.test(source) ? tokenEnd.lastIndex - 1 : source.length;
    token += source.slice(index, window.index);
  } while (window.index === window.source.length && (yield* waitForMore(window)));
  return token;
}
