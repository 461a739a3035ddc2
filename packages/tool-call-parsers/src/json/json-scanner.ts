import type { TextWindow } from '../text/text-window.ts';
import { isWhiteSpace } from '../text/white-space.ts';

/** Deepest nesting of objects and arrays. */
export const maximumJsonDepth = 512;

/**
 * Why the scanner stopped: the text is used up; a key or a value of the outermost object is complete; the value
 * itself is complete; the next character cannot stand here; it would nest too deeply.
 */
export type JsonStop = 'more' | 'key' | 'value' | 'end' | 'bad-json' | 'limit';

/** Where a stretch of JSON text begins: outside strings, in one, or in one behind the back-slash of an escape. */
export type JsonPlace = 'outside' | 'string' | 'escape';

const expectsValue = 0;
const expectsFirstItem = 1;
const expectsFirstKey = 2;
const expectsKey = 3;
const expectsColon = 4;
const expectsCommaOrEnd = 5;
const inString = 6;
const inEscape = 7;
const inScalar = 8;

/** What would be right next, by state, for messages. */
const expectations: readonly string[] = [
  'a value',
  'a value',
  'a key or }',
  'a key',
  'a colon',
  'a comma or closing bracket',
  'the end of a string',
  'an escape',
  'a JSON value',
];

const doubleQuote = 34;
const scalarBreak: RegExp = /[^-+.0-9a-zE]/g;
/** By character code: what may follow a back-slash, but for `u`. */
const simpleEscapes: Readonly<Record<number, 1>> = { 34: 1, 92: 1, 47: 1, 98: 1, 102: 1, 110: 1, 114: 1, 116: 1 };
const unicodeEscape = /^u[0-9a-fA-F]{0,4}$/;
/** Numbers and names. No two of its repetitions can match the same character. */
const scalar = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)$/;

/**
 * Reads one JSON value piece by piece: RFC 8259, except that raw control characters in strings are let pass.
 * Iterative, no look-back, each character once. It stops at every key and value of the outermost object.
 */
export interface JsonScanner {
  /** Position of the first character of the key or value at nesting depth 1 that was read last or is being read. */
  readonly tokenStart: number;
  /** The character there. */
  readonly tokenOpener: number;
  /** What the text would have to go on with. */
  readonly expectation: string;
  /** Where the text read so far ends: within a string, behind the back-slash of an escape in it, or elsewhere. */
  readonly place: JsonPlace;
  /** Reads on, at most up to the position `limit`. The window then stands behind the key or value, or at the fault. */
  scan(window: TextWindow, limit: number): JsonStop;
}

/** A scanner for one JSON text. Its state lies in variables, not in fields: those cost a third more code in a bundle. */
export function createJsonScanner(): JsonScanner {
  let tokenStart = 0;
  let tokenOpener = 0;
  let state = expectsValue;
  let isKey = false;
  /** Of each open object or array: whether it is an object. */
  const isObject: boolean[] = [];
  /** What was read of an escape, a number or a name. */
  let fragment = '';

  function scan(window: TextWindow, limit: number): JsonStop {
    const { source, base } = window;
    const end = Math.min(source.length, limit - base);
    let stop: JsonStop = 'more';
    let index = window.index;
    while (index < end && stop === 'more') {
      if (state === inString) {
        index = readString(window, index, end);
        if (state < inString) stop = endToken();
      } else if (state === inScalar) {
        index = readScalar(source, index, end);
        if (index < end) stop = endScalar();
      } else {
        const code = source.charCodeAt(index);
        if (state === inEscape) stop = readEscape(source.charAt(index));
        else if (!isWhiteSpace(code)) stop = readStructure(code, base + index);
        // A scalar has only been announced, and what is refused is not read.
        if (state !== inScalar && stop !== 'bad-json' && stop !== 'limit') index += 1;
      }
    }
    window.index = index;
    return stop;
  }

  /** Reads as much of a string as stands in the window; the state tells what comes next. */
  function readString(window: TextWindow, from: number, end: number): number {
    const { source } = window;
    let index = from;
    let quote = -1;
    for (;;) {
      // The engine's own search is many times faster than a loop over characters.
      if (quote < index) quote = source.indexOf('"', index);
      if (quote < 0) quote = end;
      const backslash = window.findBackslash(index);
      if (Math.min(quote, backslash) >= end) return end;
      if (quote < backslash) {
        state = isKey ? expectsColon : expectsCommaOrEnd;
        return quote + 1;
      }
      index = backslash + 2;
      if (index > end || simpleEscapes[source.charCodeAt(index - 1)] === undefined) {
        state = inEscape;
        fragment = '';
        return backslash + 1;
      }
    }
  }

  function readStructure(code: number, position: number): JsonStop {
    if (state === expectsCommaOrEnd || state === expectsColon) return readSeparator(code);
    if (code === 125 && state === expectsFirstKey) return close();
    if (code === 93 && state === expectsFirstItem) return close();
    const isKeyNext = state === expectsKey || state === expectsFirstKey;
    if (isKeyNext && code !== doubleQuote) return 'bad-json';
    if (isObject.length === 1) {
      tokenStart = position;
      tokenOpener = code;
    }
    if (code === doubleQuote) {
      isKey = isKeyNext;
      state = inString;
    } else if (code === 123 || code === 91) {
      if (isObject.length === maximumJsonDepth) return 'limit';
      isObject.push(code === 123);
      state = code === 123 ? expectsFirstKey : expectsFirstItem;
    } else {
      fragment = '';
      state = inScalar;
    }
    return 'more';
  }

  function readSeparator(code: number): JsonStop {
    const isInObject = isObject.at(-1);
    if (state === expectsCommaOrEnd && code === (isInObject ? 125 : 93)) return close();
    if (code !== (state === expectsColon ? 58 : 44)) return 'bad-json';
    state = state === expectsCommaOrEnd && isInObject ? expectsKey : expectsValue;
    return 'more';
  }

  function close(): JsonStop {
    isObject.pop();
    state = expectsCommaOrEnd;
    return endToken();
  }

  /** A key or value is complete, which only counts in the outermost object, or where it is all. */
  function endToken(): JsonStop {
    if (isObject.length > 1) return 'more';
    if (isObject.length === 0) return 'end';
    return state === expectsColon ? 'key' : 'value';
  }

  function readScalar(source: string, from: number, end: number): number {
    scalarBreak.lastIndex = from;
    const index = Math.min(scalarBreak.test(source) ? scalarBreak.lastIndex - 1 : end, end);
    fragment += source.slice(from, index);
    return index;
  }

  /** The character that shows the end of a number or name was found. */
  function endScalar(): JsonStop {
    if (!scalar.test(fragment)) return 'bad-json';
    state = expectsCommaOrEnd;
    return endToken();
  }

  /** The next character behind a back-slash. */
  function readEscape(character: string): JsonStop {
    const sequence = fragment + character;
    const isSimple = fragment === '' && simpleEscapes[character.charCodeAt(0)] !== undefined;
    if (!isSimple && !unicodeEscape.test(sequence)) return 'bad-json';
    if (isSimple || sequence.length === 5) state = inString;
    fragment = sequence;
    return 'more';
  }

  return {
    get tokenStart() {
      return tokenStart;
    },
    get tokenOpener() {
      return tokenOpener;
    },
    get expectation() {
      return expectations[state] ?? '';
    },
    get place() {
      if (state === inEscape && fragment === '') return 'escape';
      return state === inString || state === inEscape ? 'string' : 'outside';
    },
    scan,
  };
}
