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
  'a quote',
  'a JSON value',
];

const doubleQuote = 34;
const backslash = 92;
/**
 * What may stand in a string: no quote, no control character, whole escapes. Two repetitions in one another, but there is
 * only one way to match; it runs many times faster than a loop over characters.
 */
const stringPart: RegExp = /[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*/y;
/** How much is matched at once, since an engine remembers every repetition of a match. */
const stringPartLength = 65_536;
/** How many characters of a string are looked at one by one, which is faster than a match that ends soon. */
const nearby = 12;
/** An escape, as much of it as is right. */
const escapePart = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{0,4})?/;
/** A number or a name of which the end is seen. No two of its repetitions can match the same character. */
const wholeScalar: RegExp =
  /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)(?=[ \t\r\n,\]}])/y;
const scalarBreak: RegExp = /[^-+.0-9a-zE]/g;

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
  /** Of each open object or array: whether what it stands in is an object. */
  const outer: boolean[] = [];
  let isObject = false;
  /** What was read of a number or a name. */
  let fragment = '';
  let hasControls = false;

  /** One loop over variables of its own: what lies in those of the scanner is several times slower to reach. */
  function scan(window: TextWindow, limit: number = Number.POSITIVE_INFINITY): JsonStop {
    const { source, base } = window;
    const end = Math.min(source.length, limit - base);
    let { index } = window;
    let now = state;
    let isInObject = isObject;
    let depth = outer.length;
    let stop: JsonStop | undefined;
    while (index < end && !stop) {
      let code = source.charCodeAt(index);
      /** Whether a key or a value is complete, which only counts in the outermost object or array, or where it is all. */
      let isToken = false;
      if (now === inString) {
        index = stringEnd(source, index, end);
        code = source.charCodeAt(index);
        if (index === end) break;
        if (code === doubleQuote) {
          now = isKey ? expectsColon : expectsCommaOrEnd;
          isToken = true;
          index += 1;
        } else if (code === backslash) {
          const [right = ''] = escapePart.exec(source.slice(index, Math.min(index + 6, end))) ?? [];
          const isCut = index + right.length === end;
          const isWhole = right.length === 6 || (right.length === 2 && right !== '\\u');
          // An escape that is not whole yet stays unread.
          if (!isWhole) stop = isCut ? 'more' : 'bad-json';
          if (isWhole || !isCut) index += right.length;
        } else if (code < 32) {
          hasControls = true;
          index += 1;
        }
      } else if (now === inScalar) {
        scalarBreak.lastIndex = index;
        const to = Math.min(scalarBreak.test(source) ? scalarBreak.lastIndex - 1 : end, end);
        fragment += source.slice(index, to);
        index = to;
        if (to === end) break;
        wholeScalar.lastIndex = 0;
        if (wholeScalar.test(`${fragment},`) && wholeScalar.lastIndex === fragment.length) {
          now = expectsCommaOrEnd;
          isToken = true;
        } else stop = 'bad-json';
      } else if (isWhiteSpace(code)) index += 1;
      else if (now === expectsColon) {
        if (code === 58) {
          now = expectsValue;
          index += 1;
        } else stop = 'bad-json';
      } else if (now === expectsCommaOrEnd && code === 44) {
        now = isInObject ? expectsKey : expectsValue;
        index += 1;
      } else if (code === (isInObject ? 125 : 93) && now !== expectsValue && now !== expectsKey) {
        isInObject = outer.pop() ?? false;
        depth -= 1;
        now = expectsCommaOrEnd;
        isToken = true;
        index += 1;
      } else if (now === expectsCommaOrEnd) stop = 'bad-json';
      else {
        isKey = now === expectsKey || now === expectsFirstKey;
        if (depth === 1) {
          tokenStart = base + index;
          tokenOpener = code;
        }
        if (code === doubleQuote) {
          now = inString;
          index += 1;
        } else if (isKey) stop = 'bad-json';
        else if (code !== 123 && code !== 91) {
          wholeScalar.lastIndex = index;
          if (wholeScalar.test(source) && wholeScalar.lastIndex < end) {
            index = wholeScalar.lastIndex;
            now = expectsCommaOrEnd;
            isToken = true;
          } else {
            fragment = '';
            now = inScalar;
          }
        } else if (depth === maximumJsonDepth) stop = 'limit';
        else {
          outer.push(isInObject);
          depth += 1;
          isInObject = code === 123;
          now = isInObject ? expectsFirstKey : expectsFirstItem;
          index += 1;
        }
      }
      if (isToken && depth < 2) stop = depth === 0 ? 'end' : now === expectsColon ? 'key' : 'value';
    }
    state = now;
    isObject = isInObject;
    window.index = index;
    return stop ?? (window.end < limit ? 'more' : 'limit');
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

/** The first index from `from` on where a string ends or needs a closer look, or `end`. */
function stringEnd(source: string, from: number, end: number): number {
  const near = Math.min(from + nearby, end);
  let index = from;
  while (index < near && isPlain(source.charCodeAt(index))) index += 1;
  if (index < near || index === end) return index;
  const part = end - index > stringPartLength ? source.slice(index, index + stringPartLength) : source;
  const offset = part === source ? 0 : index;
  stringPart.lastIndex = index - offset;
  stringPart.test(part);
  return Math.min(offset + stringPart.lastIndex, end);
}

/** Whether a UTF-16 unit stands for itself in a string. */
function isPlain(code: number): boolean {
  return code > backslash || (code > doubleQuote && code < backslash) || code === 32 || code === 33;
}
