import type { TextWindow } from '../text/text-window.ts';
import { isWhiteSpace } from '../text/white-space.ts';

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
const afterMinus = 10;
const afterZero = 11;
const inInteger = 12;
const afterPoint = 13;
const inFraction = 14;
const afterExponent = 15;
const afterExponentSign = 16;
const inExponent = 17;

/** What would have been right, by state, for messages. */
const expectations: readonly string[] = [
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
  'a digit after the minus sign',
  '".", an exponent or the end of the number after a leading zero',
  'a digit or the end of the number',
  'a digit after the decimal point',
  'a digit or the end of the number',
  'a digit or a sign after the exponent mark',
  'a digit in the exponent',
  'a digit or the end of the number',
];

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
  /** Whether a string held a raw control character. */
  hasRawControls = false;
  #state = expectsValue;
  #depth = 0;
  #isKey = false;
  #literal = '';
  /** Characters read of the literal, or hexadecimal digits read of the escape. */
  #count = 0;
  readonly #containers: Uint8Array = new Uint8Array(maximumJsonDepth + 1);

  /** Makes ready for another text. */
  reset(): void {
    this.hasRawControls = false;
    this.#state = expectsValue;
    this.#depth = 0;
  }

  /** What the text would have to go on with. */
  get expectation(): string {
    return expectations[this.#state] ?? '';
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
    while (index < end) {
      const code = source.charCodeAt(index);
      index += 1;
      // Most characters of a text are above the back-slash: one comparison for them.
      if (code > 92) continue;
      if (code === 34) {
        this.#state = this.#isKey ? expectsColon : expectsCommaOrEnd;
        return index;
      }
      if (code === 92) {
        if (index < end && isSimpleEscape(source.charCodeAt(index))) {
          index += 1;
          continue;
        }
        this.#state = inEscape;
        return index;
      }
      if (code < 32) this.hasRawControls = true;
    }
    return index;
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
    const numberState = code === 45 ? afterMinus : code === 48 ? afterZero : isDigit(code) ? inInteger : undefined;
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

function nextNumberState(state: number, code: number): number | undefined {
  if (isDigit(code)) {
    if (state === afterMinus) return code === 48 ? afterZero : inInteger;
    if (state === afterPoint || state === inFraction) return inFraction;
    if (state >= afterExponent) return inExponent;
    return state === inInteger ? inInteger : undefined;
  }
  if (code === 46) return state === afterZero || state === inInteger ? afterPoint : undefined;
  if (code === 101 || code === 69) return isNumberEnd(state) && state !== inExponent ? afterExponent : undefined;
  return (code === 43 || code === 45) && state === afterExponent ? afterExponentSign : undefined;
}

function isNumberEnd(state: number): boolean {
  return state === afterZero || state === inInteger || state === inFraction || state === inExponent;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
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
