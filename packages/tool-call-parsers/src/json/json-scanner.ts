import type { TextWindow } from '../text/text-window.ts';
import { isWhiteSpace } from '../text/white-space.ts';
import type { JsonPlace } from './json-text.ts';

/** Deepest nesting of objects and arrays. */
export const maximumJsonDepth = 512;

/**
 * Why the scanner stopped: the text is used up; a key or a value of the outermost object is complete; the outermost
 * object or array is complete; the next character cannot stand here; it would nest too deeply.
 */
export type JsonStop = 'more' | 'key' | 'value' | 'end' | 'bad-json' | 'limit';

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
  'a value or ]',
  'a key or }',
  'a key',
  'a colon',
  'a comma or a closing bracket',
  'the end of a string',
  'an escape',
  'a JSON value',
];

/** How far a string is read character by character before the engine's search is worth its call. */
const nearLength = 16;

const doubleQuote = 34;
const backslash = 92;
const stringBreak: RegExp = /["\\]/g;
const simpleEscapes = '"\\/bfnrt';
const unicodeEscape = /^u[0-9a-fA-F]{0,4}$/;
/** Numbers and names. No two of its repetitions can match the same character. */
const scalar = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)$/;

/**
 * Reads one JSON object or array piece by piece: RFC 8259, except that raw control characters in strings are let pass.
 * Iterative, no look-back, each character once. It stops at every key and value of the outermost object.
 */
export class JsonScanner {
  /** Position of the first character of the key or value at nesting depth 1 that was read last or is being read. */
  tokenStart = 0;
  /** The character there. */
  tokenOpener = 0;
  #state = expectsValue;
  #isKey = false;
  /** Of each open object or array: whether it is an object. */
  readonly #isObject: boolean[] = [];
  /** What was read of an escape, a number or a name. */
  #fragment = '';

  /** What the text would have to go on with. */
  get expectation(): string {
    return expectations[this.#state] ?? '';
  }

  /** Where the text read so far ends: within a string, behind the back-slash of an escape in it, or elsewhere. */
  get place(): JsonPlace {
    if (this.#state === inEscape && this.#fragment === '') return 'escape';
    return this.#state === inString || this.#state === inEscape ? 'string' : 'outside';
  }

  /** Reads on, at most up to the position `limit`. The window then stands behind the key or value, or at the fault. */
  scan(window: TextWindow, limit: number): JsonStop {
    const { source, base } = window;
    const end = Math.min(source.length, limit - base);
    let stop: JsonStop = 'more';
    let index = window.index;
    while (index < end && stop === 'more') {
      if (this.#state === inString) {
        index = this.#readString(source, index, end);
        if (this.#state < inString) stop = this.#endToken();
      } else if (this.#state === inScalar) {
        index = this.#readScalar(source, index, end);
        if (index < end) stop = this.#endScalar();
      } else {
        const code = source.charCodeAt(index);
        if (this.#state === inEscape) stop = this.#readEscape(source.charAt(index));
        else if (!isWhiteSpace(code)) stop = this.#readStructure(code, base + index);
        // A scalar has only been announced, and what is refused is not read.
        if (this.#state !== inScalar && stop !== 'bad-json' && stop !== 'limit') index += 1;
      }
    }
    window.index = index;
    return stop;
  }

  /** Reads as much of a string as stands in `source`; the state tells what comes next. */
  #readString(source: string, from: number, end: number): number {
    let index = from;
    for (;;) {
      const near = Math.min(index + nearLength, end);
      while (index < near) {
        // Most letters lie above the back-slash: one comparison for them.
        const code = source.charCodeAt(index);
        if (code <= backslash && (code === doubleQuote || code === backslash)) break;
        index += 1;
      }
      if (index === near) {
        // A long stretch: the engine's own search is faster than a loop.
        stringBreak.lastIndex = index;
        index = stringBreak.test(source) ? stringBreak.lastIndex - 1 : end;
      }
      if (index >= end) return end;
      if (source.charCodeAt(index) === doubleQuote) {
        this.#state = this.#isKey ? expectsColon : expectsCommaOrEnd;
        return index + 1;
      }
      if (index + 1 === end || !simpleEscapes.includes(source.charAt(index + 1))) {
        this.#state = inEscape;
        this.#fragment = '';
        return index + 1;
      }
      index += 2;
    }
  }

  #readStructure(code: number, position: number): JsonStop {
    const state = this.#state;
    if (state === expectsCommaOrEnd || state === expectsColon) return this.#readSeparator(code);
    if (code === 125 && state === expectsFirstKey) return this.#close();
    if (code === 93 && state === expectsFirstItem) return this.#close();
    const isKey = state === expectsKey || state === expectsFirstKey;
    if (isKey && code !== doubleQuote) return 'bad-json';
    if (this.#isObject.length === 1) {
      this.tokenStart = position;
      this.tokenOpener = code;
    }
    if (code === doubleQuote) {
      this.#isKey = isKey;
      this.#state = inString;
    } else if (code === 123 || code === 91) {
      if (this.#isObject.length === maximumJsonDepth) return 'limit';
      this.#isObject.push(code === 123);
      this.#state = code === 123 ? expectsFirstKey : expectsFirstItem;
    } else {
      if (!isScalarCharacter(code)) return 'bad-json';
      this.#fragment = '';
      this.#state = inScalar;
    }
    return 'more';
  }

  #readSeparator(code: number): JsonStop {
    const isInObject = this.#isObject.at(-1);
    if (this.#state === expectsCommaOrEnd && code === (isInObject ? 125 : 93)) return this.#close();
    if (code !== (this.#state === expectsColon ? 58 : 44)) return 'bad-json';
    this.#state = this.#state === expectsCommaOrEnd && isInObject ? expectsKey : expectsValue;
    return 'more';
  }

  #close(): JsonStop {
    this.#isObject.pop();
    this.#state = expectsCommaOrEnd;
    return this.#isObject.length === 0 ? 'end' : this.#endToken();
  }

  /** A key or value is complete, which only counts in the outermost object. */
  #endToken(): JsonStop {
    if (this.#isObject.length !== 1) return 'more';
    return this.#state === expectsColon ? 'key' : 'value';
  }

  #readScalar(source: string, from: number, end: number): number {
    let index = from;
    while (index < end && isScalarCharacter(source.charCodeAt(index))) index += 1;
    this.#fragment += source.slice(from, index);
    return index;
  }

  /** The character that shows the end of a number or name was found. */
  #endScalar(): JsonStop {
    if (!scalar.test(this.#fragment)) return 'bad-json';
    this.#state = expectsCommaOrEnd;
    return this.#endToken();
  }

  /** The next character behind a back-slash. */
  #readEscape(character: string): JsonStop {
    const sequence = this.#fragment + character;
    const isSimple = this.#fragment === '' && simpleEscapes.includes(character);
    if (!isSimple && !unicodeEscape.test(sequence)) return 'bad-json';
    if (isSimple || sequence.length === 5) this.#state = inString;
    this.#fragment = sequence;
    return 'more';
  }
}

/** Letters, digits, and what else numbers are written with. */
function isScalarCharacter(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 97 && code <= 122) ||
    code === 45 ||
    code === 46 ||
    code === 43 ||
    code === 69
  );
}
