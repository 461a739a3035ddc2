import type { TextWindow } from '../text/text-window.ts';
import { isWhiteSpace } from '../text/white-space.ts';

/** Deepest nesting of objects and arrays. */
export const maximumJsonDepth = 512;

/**
 * Why the scanner stopped: the text is used up; a key or a value of the outermost object is complete; the value
 * itself is complete; the next character cannot stand here; it would nest too deeply or get too long.
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
const backslash = 92;
/**
 * What may stand in a string: no quote, no control character, whole escapes. Two repetitions in one another, but there is
 * only one way to match; it runs many times faster than a loop over characters.
 */
const stringPart: RegExp = /[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*/y;
/** How much is matched at once, since an engine remembers every escape of a match. */
const stringPartLength = 65_536;
/** An escape, as much of it as is right. */
const escapePart = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{0,4})?/;
const scalarBreak: RegExp = /[^-+.0-9a-zE]/g;
/** Numbers and names. No two of its repetitions can match the same character. */
const scalar = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)$/;

/**
 * A number, a name or a string without escapes, of which the end is seen; and a member with such a value. Most of a nested
 * value is made of them, and one match is several times faster than a step for each part.
 */
const plainValue: RegExp =
  /[ \t\r\n]*(?:"[ !#-[\]-\uffff]*"|true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)(?=[ \t\r\n,\]}])/y;
const plainMember: RegExp = /* @__PURE__ */ new RegExp(
  `[ \\t\\r\\n]*"[ !#-[\\]-\\uffff]*"[ \\t\\r\\n]*:${plainValue.source}`,
  'y',
);

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
  /** Whether a string holds raw control characters. */
  readonly hasControls: boolean;
  /**
   * Reads on, at most up to the position `limit`, where it stops with `limit`. The window then stands behind the key or value, at the fault, or at
   * the end of the text so far, where it may leave an escape that is not whole.
   */
  scan(window: TextWindow, limit?: number): JsonStop;
}

/** A scanner for one JSON text. Its state lies in variables, not in fields: those cost a third more code in a bundle. */
export function createJsonScanner(): JsonScanner {
  let tokenStart = 0;
  let tokenOpener = 0;
  let state = expectsValue;
  let isKey = false;
  /** Of each open object or array: whether it is an object. The innermost one stands beside them. */
  const outer: boolean[] = [];
  let isObject = false;
  /** What was read of a number or a name. */
  let fragment = '';
  let hasControls = false;
  let stop: JsonStop | undefined;

  function scan(window: TextWindow, limit: number = Number.POSITIVE_INFINITY): JsonStop {
    const { source, base } = window;
    const end = Math.min(source.length, limit - base);
    let { index } = window;
    stop = undefined;
    while (index < end && stop === undefined) {
      if (state === inString) index = readString(source, index, end);
      else if (state === inScalar) index = readScalar(source, index, end);
      else {
        const plain = state < expectsFirstKey ? plainValue : plainMember;
        plain.lastIndex = index;
        if (state < expectsColon && outer.length > 1 && plain.test(source) && plain.lastIndex <= end) {
          index = plain.lastIndex;
          state = expectsCommaOrEnd;
          continue;
        }
        const code = source.charCodeAt(index);
        if (!isWhiteSpace(code)) readStructure(code, base + index);
        // A scalar has only been announced, and what is refused is not read.
        if (state !== inScalar && stop !== 'bad-json' && stop !== 'limit') index += 1;
      }
    }
    window.index = index;
    return stop ?? (window.end < limit ? 'more' : 'limit');
  }

  /** Reads as much of a string as stands there; the state tells what comes next. */
  function readString(source: string, from: number, end: number): number {
    let index = from;
    while (index < end) {
      const part = end - index > stringPartLength ? source.slice(index, index + stringPartLength) : source;
      const offset = part === source ? 0 : index;
      stringPart.lastIndex = index - offset;
      stringPart.test(part);
      index = Math.min(offset + stringPart.lastIndex, end);
      if (index === end) break;
      const code = source.charCodeAt(index);
      if (code === doubleQuote) {
        state = isKey ? expectsColon : expectsCommaOrEnd;
        endToken();
        return index + 1;
      }
      if (code === backslash) {
        const [right = ''] = escapePart.exec(source.slice(index, Math.min(index + 6, end))) ?? [];
        const to = index + right.length;
        if (right.length !== 6 && (right.length !== 2 || right[1] === 'u')) {
          // An escape that is not whole yet stays unread.
          stop = to < end ? 'bad-json' : 'more';
          return to < end ? to : index;
        }
        index = to;
      } else if (code < 32) {
        hasControls = true;
        index += 1;
      }
    }
    return end;
  }

  function readStructure(code: number, position: number): void {
    const isFirst = state === expectsFirstKey || state === expectsFirstItem;
    if (state === expectsColon) {
      if (code === 58) state = expectsValue;
      else stop = 'bad-json';
    } else if (state === expectsCommaOrEnd && code === 44) state = isObject ? expectsKey : expectsValue;
    else if ((state === expectsCommaOrEnd || isFirst) && code === (isObject ? 125 : 93)) {
      isObject = outer.pop() ?? false;
      state = expectsCommaOrEnd;
      endToken();
    } else if (state === expectsCommaOrEnd) stop = 'bad-json';
    else openToken(code, position);
  }

  /** A key or a value begins. */
  function openToken(code: number, position: number): void {
    isKey = state === expectsKey || state === expectsFirstKey;
    if (outer.length === 1) {
      tokenStart = position;
      tokenOpener = code;
    }
    if (code === doubleQuote) state = inString;
    else if (isKey) stop = 'bad-json';
    else if (code !== 123 && code !== 91) {
      fragment = '';
      state = inScalar;
    } else if (outer.length === maximumJsonDepth) stop = 'limit';
    else {
      outer.push(isObject);
      isObject = code === 123;
      state = isObject ? expectsFirstKey : expectsFirstItem;
    }
  }

  /** A key or value is complete, which only counts in the outermost object or array, or where it is all. */
  function endToken(): void {
    if (outer.length === 0) stop = 'end';
    else if (outer.length === 1) stop = state === expectsColon ? 'key' : 'value';
  }

  function readScalar(source: string, from: number, end: number): number {
    scalarBreak.lastIndex = from;
    const index = Math.min(scalarBreak.test(source) ? scalarBreak.lastIndex - 1 : end, end);
    fragment += source.slice(from, index);
    if (index === end) return index;
    if (scalar.test(fragment)) {
      state = expectsCommaOrEnd;
      endToken();
    } else stop = 'bad-json';
    return index;
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
    get hasControls() {
      return hasControls;
    },
    scan,
  };
}
