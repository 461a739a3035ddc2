import type { TextWindow } from '../text/text-window.ts';
import { isWhiteSpace } from '../text/white-space.ts';

/** Deepest nesting of objects and arrays. */
export const maximumJsonDepth = 512;

/**
 * Why the scanner stopped: the text is used up; a key or a value of the outermost object is complete; the value
 * itself is complete; the next character cannot stand here; it would nest too deeply.
 */
export type JsonStop = 'more' | 'key' | 'value' | 'end' | 'bad-json' | 'limit';

const expectsValue = 0;
const expectsFirstItem = 1;
const expectsFirstKey = 2;
const expectsKey = 3;
const expectsColon = 4;
const expectsCommaOrEnd = 5;
const inString = 6;
const inScalar = 7;

/** What would be right next, by state, for messages. */
const expectations: readonly string[] = [
  'a value',
  'a value',
  'a key or }',
  'a key',
  'a colon',
  'a comma or closing bracket',
  'the end of a string',
  'a JSON value',
];

const doubleQuote = 34;
const scalarBreak: RegExp = /[^-+.0-9a-zE]/g;
/** What may follow a back-slash, as much of it as is right. */
const escapeEnd: RegExp = /["\\/bfnrt]|u[0-9a-fA-F]{0,4}|/y;
/** Numbers and names. No two of its repetitions can match the same character. */
const scalar = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)$/;

/**
 * Reads one JSON value piece by piece: RFC 8259, except that raw control characters in strings are let pass.
 * Iterative, each character once. It stops at every key and value of the outermost object or array.
 */
export interface JsonScanner {
  /** Position of the first character of the key or value at nesting depth 1 that was read last or is being read. */
  readonly tokenStart: number;
  /** The character there. */
  readonly tokenOpener: number;
  /** What the text would have to go on with. */
  readonly expectation: string;
  /** Whether the text read so far ends within a string. It never ends within an escape. */
  readonly isInString: boolean;
  /**
   * Reads on, at most up to the position `limit`. The window then stands behind the key or value, at the fault, or at
   * the end of the text so far, where it may leave an escape that is not whole.
   */
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
  /** What was read of a number or a name. */
  let fragment = '';

  function scan(window: TextWindow, limit: number): JsonStop {
    const { source, base } = window;
    const end = Math.min(source.length, limit - base);
    let stop: JsonStop | undefined;
    while (window.index < end && stop === undefined) {
      const { index } = window;
      const code = source.charCodeAt(index);
      if (state === inString) stop = readString(window, end);
      else if (state === inScalar) stop = readScalar(window, end);
      else {
        if (!isWhiteSpace(code)) stop = readStructure(code, base + index);
        // A scalar has only been announced, and what is refused is not read.
        if (state !== inScalar && stop !== 'bad-json' && stop !== 'limit') window.index += 1;
      }
    }
    return stop ?? 'more';
  }

  /** Reads as much of a string as stands in the window; the state tells what comes next. */
  function readString(window: TextWindow, end: number): JsonStop | undefined {
    const { source } = window;
    let { index } = window;
    let quote = -1;
    for (;;) {
      // The engine's own search is many times faster than a loop over characters.
      if (quote < index) quote = source.indexOf('"', index);
      if (quote < 0) quote = end;
      const backslash = window.findBackslash(index);
      if (Math.min(quote, backslash) >= end) {
        window.index = end;
        return;
      }
      if (quote < backslash) {
        state = isKey ? expectsColon : expectsCommaOrEnd;
        window.index = quote + 1;
        return endToken();
      }
      escapeEnd.lastIndex = backslash + 1;
      escapeEnd.test(source);
      index = escapeEnd.lastIndex;
      const length = index - backslash;
      if (length === 2 ? source[index - 1] === 'u' : length !== 6) {
        const isCut = index >= end;
        window.index = isCut ? backslash : index;
        return isCut ? 'more' : 'bad-json';
      }
      if (index > end) {
        window.index = backslash;
        return 'more';
      }
    }
  }

  function readStructure(code: number, position: number): JsonStop | undefined {
    const isInObject = isObject.at(-1);
    const isEnd = code === (isInObject ? 125 : 93);
    if (state === expectsColon) {
      if (code !== 58) return 'bad-json';
      state = expectsValue;
      return;
    }
    if (state === expectsCommaOrEnd && code === 44) {
      state = isInObject ? expectsKey : expectsValue;
      return;
    }
    if (isEnd && (state === expectsCommaOrEnd || state === expectsFirstKey || state === expectsFirstItem)) {
      isObject.pop();
      state = expectsCommaOrEnd;
      return endToken();
    }
    const isKeyNext = state === expectsKey || state === expectsFirstKey;
    if (state === expectsCommaOrEnd || (isKeyNext && code !== doubleQuote)) return 'bad-json';
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
    return;
  }

  /** A key or value is complete, which only counts in the outermost object or array, or where it is all. */
  function endToken(): JsonStop | undefined {
    if (isObject.length > 1) return;
    if (isObject.length === 0) return 'end';
    return state === expectsColon ? 'key' : 'value';
  }

  function readScalar(window: TextWindow, end: number): JsonStop | undefined {
    const { source, index } = window;
    scalarBreak.lastIndex = index;
    window.index = Math.min(scalarBreak.test(source) ? scalarBreak.lastIndex - 1 : end, end);
    fragment += source.slice(index, window.index);
    if (window.index === end) return;
    if (!scalar.test(fragment)) return 'bad-json';
    state = expectsCommaOrEnd;
    return endToken();
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
    get isInString() {
      return state === inString;
    },
    scan,
  };
}
