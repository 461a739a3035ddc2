import type { TextWindow } from '../text/text-window.ts';
import { isWhiteSpace } from '../text/white-space.ts';
import { afterMinus, firstNumberState, isNumberEnd, nextNumberState, numberExpectations } from './json-number.ts';
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
const inUnicodeEscape = 8;
const inLiteral = 9;

/** What would have been right, by state, for messages. */
const expectations: readonly string[] = /* @__PURE__ */ Object.freeze([
  'a value',
  'a value or "]"',
  'a key in double quotes or "}"',
  'a key in double quotes',
  '":" after the key',
  '"," or the end of the object or array',
  'the rest of a string',
  'one of "\\/bfnrtu after the back-slash',
  'four hexadecimal digits after \\u',
  'true, false or null',
  ...numberExpectations,
]);

/** How far a string is read character by character before the engine's search is worth its call. */
const nearLength = 16;

const doubleQuote = 34;
const backslashCode = 92;
const objectMark = 1;
const arrayMark = 2;

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
  #depth = 0;
  #isKey = false;
  #literal = '';
  /** Characters read of the literal, or hexadecimal digits read of the escape. */
  #count = 0;
  readonly #containers: Uint8Array = new Uint8Array(maximumJsonDepth + 1);

  /** Makes ready for another text. */
  reset(): void {
    this.#state = expectsValue;
    this.#depth = 0;
  }

  /** What the text would have to go on with. */
  get expectation(): string {
    return expectations[this.#state] ?? '';
  }

  /** Where the text read so far ends: within a string, behind the back-slash of an escape in it, or elsewhere. */
  get place(): JsonPlace {
    if (this.#state === inEscape) return 'escape';
    return this.#state === inString || this.#state === inUnicodeEscape ? 'string' : 'outside';
  }

  /** Reads on, at most up to the position `limit`. The window then stands behind the key or value, or at the fault. */
  scan(window: TextWindow, limit: number): JsonStop {
    const { source, base } = window;
    const end = Math.min(source.length, limit - base);
    let stop: JsonStop = 'more';
    let index = window.index;
    while (index < end && stop === 'more') {
      const code = source.charCodeAt(index);
      if (this.#state === inString) {
        index = this.#readString(source, index, end);
        if (this.#state !== inString && this.#depth === 1 && this.#state !== inEscape) stop = this.#tokenStop();
      } else if (this.#state <= expectsCommaOrEnd) {
        if (!isWhiteSpace(code)) stop = this.#readStructure(code, base + index);
        if (stop !== 'bad-json' && stop !== 'limit') index += 1;
      } else if (this.#state <= inLiteral) {
        stop = this.#readFixed(code);
        if (stop !== 'bad-json') index += 1;
      } else {
        stop = this.#readNumber(code);
        // A number ends before the character that shows its end.
        if (this.#state >= afterMinus && stop === 'more') index += 1;
      }
    }
    window.index = index;
    return stop;
  }

  /** Reads as much of a string as stands in `source`; the state tells what comes next. */
  #readString(source: string, from: number, end: number): number {
    let index = from;
    let quote = -1;
    for (;;) {
      const near = Math.min(index + nearLength, end);
      while (index < near) {
        // Most letters lie above the back-slash: one comparison for them.
        const code = source.charCodeAt(index);
        if (code <= backslashCode && (code === doubleQuote || code === backslashCode)) break;
        index += 1;
      }
      if (index === end) return end;
      if (index === near) {
        // A long stretch: the engine's own search is many times faster than a loop. The slice bounds it.
        if (quote < index) quote = source.indexOf('"', index);
        if (quote < 0 || quote > end) quote = end;
        const backslash = source.slice(index, quote).indexOf('\\');
        index = backslash < 0 ? quote : index + backslash;
        if (index === end) return end;
      }
      if (source.charCodeAt(index) === doubleQuote) {
        this.#state = this.#isKey ? expectsColon : expectsCommaOrEnd;
        return index + 1;
      }
      if (index + 1 === end || !isSimpleEscape(source.charCodeAt(index + 1))) {
        this.#state = inEscape;
        return index + 1;
      }
      index += 2;
    }
  }

  #readStructure(code: number, position: number): JsonStop {
    const state = this.#state;
    if (state === expectsCommaOrEnd) return this.#readCommaOrEnd(code);
    if (state === expectsColon) {
      if (code !== 58) return 'bad-json';
      this.#state = expectsValue;
      return 'more';
    }
    if (state === expectsKey || state === expectsFirstKey) {
      if (code === 34) return this.#openString(true, position);
      return state === expectsFirstKey && code === 125 ? this.#close() : 'bad-json';
    }
    if (state === expectsFirstItem && code === 93) return this.#close();
    return this.#openValue(code, position);
  }

  #readCommaOrEnd(code: number): JsonStop {
    const isObject = this.#containers[this.#depth] === objectMark;
    if (code === 44) {
      this.#state = isObject ? expectsKey : expectsValue;
      return 'more';
    }
    return code === (isObject ? 125 : 93) ? this.#close() : 'bad-json';
  }

  #openValue(code: number, position: number): JsonStop {
    if (code === 34) return this.#openString(false, position);
    if (code === 123 || code === 91) return this.#open(code === 123, position);
    const literal = literalFor(code);
    const numberState = firstNumberState(code);
    if (literal === undefined && numberState === undefined) return 'bad-json';
    this.#noteToken(code, position);
    this.#literal = literal ?? '';
    this.#count = 1;
    this.#state = numberState ?? inLiteral;
    return 'more';
  }

  #openString(isKey: boolean, position: number): JsonStop {
    this.#noteToken(34, position);
    this.#isKey = isKey;
    this.#state = inString;
    return 'more';
  }

  #open(isObject: boolean, position: number): JsonStop {
    if (this.#depth === maximumJsonDepth) return 'limit';
    this.#noteToken(isObject ? 123 : 91, position);
    this.#depth += 1;
    this.#containers[this.#depth] = isObject ? objectMark : arrayMark;
    this.#state = isObject ? expectsFirstKey : expectsFirstItem;
    return 'more';
  }

  #close(): JsonStop {
    this.#depth -= 1;
    this.#state = expectsCommaOrEnd;
    if (this.#depth === 0) return 'end';
    return this.#depth === 1 ? 'value' : 'more';
  }

  #noteToken(code: number, position: number): void {
    if (this.#depth !== 1) return;
    this.tokenStart = position;
    this.tokenOpener = code;
  }

  /** What the end of a string or literal at depth 1 means. */
  #tokenStop(): JsonStop {
    return this.#state === expectsColon ? 'key' : 'value';
  }

  /** Escapes and literals: text of fixed form. */
  #readFixed(code: number): JsonStop {
    if (this.#state === inEscape) {
      if (code !== 117 && !isSimpleEscape(code)) return 'bad-json';
      this.#count = 0;
      this.#state = code === 117 ? inUnicodeEscape : inString;
      return 'more';
    }
    if (this.#state === inUnicodeEscape) {
      if (!isHexDigit(code)) return 'bad-json';
      this.#count += 1;
      if (this.#count === 4) this.#state = inString;
      return 'more';
    }
    if (code !== this.#literal.charCodeAt(this.#count)) return 'bad-json';
    this.#count += 1;
    if (this.#count < this.#literal.length) return 'more';
    this.#state = expectsCommaOrEnd;
    return this.#depth === 1 ? 'value' : 'more';
  }

  #readNumber(code: number): JsonStop {
    const next = nextNumberState(this.#state, code);
    if (next !== undefined) {
      this.#state = next;
      return 'more';
    }
    if (!isNumberEnd(this.#state)) return 'bad-json';
    this.#state = expectsCommaOrEnd;
    return this.#depth === 1 ? 'value' : 'more';
  }
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

/** `"` `\` `/` `b` `f` `n` `r` `t` */
function isSimpleEscape(code: number): boolean {
  switch (code) {
    case 34:
    case 92:
    case 47:
    case 98:
    case 102:
    case 110:
    case 114:
    case 116:
      return true;
    default:
      return false;
  }
}

function literalFor(code: number): string | undefined {
  return code === 116 ? 'true' : code === 102 ? 'false' : code === 110 ? 'null' : undefined;
}
