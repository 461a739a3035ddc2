import { type CallProgress, type Fault, faultAt, maximumCallLength } from '../stream/call-reader.ts';
import type { TextWindow } from '../text/text-window.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { JsonScanner } from './json-scanner.ts';
import { decodeJsonString, escapeControls, type JsonPlace, readJsonObject } from './json-text.ts';

/** Under which keys a format writes the parts of a call. */
export interface JsonCallKeys {
  readonly name: string;
  readonly arguments: string;
  /** Read where the key of `arguments` is absent. */
  readonly argumentsSynonym: string;
}

/** A call's name and arguments, as the object says them. */
export interface JsonCall {
  readonly name: string;
  readonly arguments: string;
}

interface ValueSpan {
  readonly start: number;
  readonly end: number;
  /** Its first character. */
  readonly opener: number;
}

const openingBrace = 123;
const doubleQuote = 34;
const letterN = 110;

/** Longest spelling of a key that could be one of ours: each of its characters as a `\u` escape, and the quotes. */
const longestKeyLiteral = 16 * 6 + 2;

/** Reads the JSON object that states a call. Shared by all formats whose calls are JSON objects. */
export class JsonCallBody implements CallProgress {
  /** The name, trimmed, as soon as it is read; undefined where it is no string or blank. */
  name: string | undefined;
  /** Whether a key that matters occurred again, so that what was read first may not count. */
  isContradicted = false;
  readonly #keys: JsonCallKeys;
  readonly #scanner: JsonScanner = new JsonScanner();
  readonly #start: number;
  /** The key that was read last, where it is one of ours, and where it stands. */
  #key = '';
  #keyStart = -1;
  /** The last value under each of our keys. */
  readonly #values: Map<string, ValueSpan> = new Map();
  /** How far {@link drainArguments} gave the arguments, and where in them that is; -1 before they begin. */
  #drainedTo = -1;
  #drainedPlace: JsonPlace = 'outside';

  /** The object begins at `start`, behind white space. After a fault in it the search for calls goes on there. */
  constructor(keys: JsonCallKeys, start: number) {
    this.#keys = keys;
    this.#start = start;
  }

  /** What would have to follow next. */
  get expectation(): string {
    return this.#scanner.expectation;
  }

  /** Reads on. After `end` the window stands behind the object, and {@link call} tells what it says. */
  read(window: TextWindow): 'more' | 'end' | Fault {
    const limit = this.#start + maximumCallLength;
    for (;;) {
      const stop = this.#scanner.scan(window, limit);
      switch (stop) {
        case 'key':
          this.#noteKey(window);
          break;
        case 'value':
          this.#noteValue(window);
          break;
        case 'more':
          if (window.position < limit) return 'more';
          return faultAt(window, 'limit', 'the call is too long', this.#start);
        case 'limit':
          return faultAt(window, stop, 'the JSON is nested too deeply', this.#start);
        case 'bad-json':
          return faultAt(window, stop, `not JSON, expected ${this.#scanner.expectation}`, this.#start);
        case 'end':
          return 'end';
      }
    }
  }

  /** What the complete object says. Where it is no call, it is skipped as a whole. */
  call(window: TextWindow): JsonCall | Fault {
    if (this.name === undefined) {
      return faultAt(window, 'bad-name', `"${this.#keys.name}" must be a string that is not blank`, window.position);
    }
    const text = this.#argumentsText(window);
    if (text !== undefined) return { name: this.name, arguments: text };
    return faultAt(window, 'bad-arguments', `"${this.#keys.arguments}" must be a JSON object`, window.position);
  }

  /** Only an object flows; a string that may hold one waits until the end. */
  drainArguments(window: TextWindow): string {
    const value = this.#argumentsValue() ?? this.#openArguments();
    if (value?.opener !== openingBrace) return '';
    const to = Math.min(value.end, window.position);
    const text = escapeControls(window.slice(Math.max(this.#drainedTo, value.start), to), this.#drainedPlace);
    this.#drainedTo = to;
    this.#drainedPlace = this.#scanner.place;
    return text;
  }

  #noteKey(window: TextWindow): void {
    const start = this.#scanner.tokenStart;
    const literal = window.position - start <= longestKeyLiteral ? window.slice(start, window.position) : '""';
    this.#key = decodeJsonString(literal);
    this.#keyStart = start;
    const isRepeated = this.#values.has(this.#key) || (this.#isArgumentsKey() && this.#argumentsValue() !== undefined);
    this.isContradicted ||= isRepeated;
  }

  #noteValue(window: TextWindow): void {
    const { tokenStart: start, tokenOpener: opener } = this.#scanner;
    const isName = this.#key === this.#keys.name;
    if (isName || this.#isArgumentsKey()) this.#values.set(this.#key, { start, end: window.position, opener });
    if (!isName) return;
    const name = opener === doubleQuote ? decodeJsonString(window.slice(start, window.position)) : '';
    this.name = trimWhiteSpace(name) || undefined;
  }

  #isArgumentsKey(): boolean {
    return this.#key === this.#keys.arguments || this.#key === this.#keys.argumentsSynonym;
  }

  #argumentsValue(): ValueSpan | undefined {
    return this.#values.get(this.#keys.arguments) ?? this.#values.get(this.#keys.argumentsSynonym);
  }

  /** The arguments that are being read now. */
  #openArguments(): ValueSpan | undefined {
    const { tokenStart: start, tokenOpener: opener } = this.#scanner;
    const isOpen = this.#isArgumentsKey() && start !== this.#keyStart;
    return isOpen ? { start, end: Number.POSITIVE_INFINITY, opener } : undefined;
  }

  /** The text of the arguments object, or undefined where the value is something else. */
  #argumentsText(window: TextWindow): string | undefined {
    const value = this.#argumentsValue();
    if (value === undefined || value.opener === letterN) return '{}';
    const json = window.slice(value.start, value.end);
    if (value.opener === openingBrace) return escapeControls(json);
    if (value.opener !== doubleQuote) return undefined;
    const text = trimWhiteSpace(decodeJsonString(json));
    return text === '' ? '{}' : readJsonObject(text);
  }
}
