import type { Fault } from '../stream/call-reader.ts';
import { maximumCallLength } from '../stream/call-reader.ts';
import type { TextWindow } from '../text/text-window.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { JsonScanner, maximumJsonDepth } from './json-scanner.ts';
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
export class JsonCallBody {
  readonly #keys: JsonCallKeys;
  readonly #scanner: JsonScanner = new JsonScanner();
  #start = 0;
  #resumeAt = 0;
  #key = '';
  #keyStart = -1;
  #hasNameKey = false;
  #name: string | undefined;
  #hasArgumentsKey = false;
  #arguments: ValueSpan | undefined;
  #synonym: ValueSpan | undefined;
  #isContradicted = false;
  /** How far the arguments were given to {@link drainArguments}; -1 before they begin. */
  #drainedTo = -1;
  #drainedPlace: JsonPlace = 'outside';

  constructor(keys: JsonCallKeys) {
    this.#keys = keys;
  }

  /** Makes ready for an object at `start`. After a fault in its syntax the search for calls goes on at `resumeAt`. */
  begin(start: number, resumeAt: number): void {
    this.#scanner.reset();
    this.#start = start;
    this.#resumeAt = resumeAt;
    this.#key = '';
    this.#keyStart = -1;
    this.#hasNameKey = false;
    this.#name = undefined;
    this.#hasArgumentsKey = false;
    this.#arguments = undefined;
    this.#synonym = undefined;
    this.#isContradicted = false;
    this.#drainedTo = -1;
    this.#drainedPlace = 'outside';
  }

  /** The name, trimmed, as soon as it is read; undefined where it is no string or blank. */
  get name(): string | undefined {
    return this.#name;
  }

  /** Whether a key that matters occurred again, so that what was read first may not count. */
  get isContradicted(): boolean {
    return this.#isContradicted;
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
          return this.#fault('limit', window, `the call is longer than ${maximumCallLength} characters`);
        case 'limit':
          return this.#fault('limit', window, `the JSON nests deeper than ${maximumJsonDepth} levels`);
        case 'bad-json':
          return this.#fault('bad-json', window, `not JSON, expected ${this.#scanner.expectation}`);
        case 'end':
          return 'end';
      }
    }
  }

  /** What the complete object says. Where it is no call, it is skipped as a whole. */
  call(window: TextWindow): JsonCall | Fault {
    if (this.#name === undefined) {
      const what = this.#hasNameKey ? 'must be a string that is not blank' : 'is missing';
      return refuseObject('bad-name', window, `"${this.#keys.name}" ${what}`);
    }
    const text = this.#argumentsText(window);
    if (text === undefined) {
      const key = this.#arguments === undefined ? this.#keys.argumentsSynonym : this.#keys.arguments;
      return refuseObject('bad-arguments', window, `"${key}" must be a JSON object`);
    }
    return { name: this.#name, arguments: text };
  }

  /** See `CallReader.drainArguments`. Only an object flows; a string that may hold one waits until the end. */
  drainArguments(window: TextWindow): string {
    const complete = this.#arguments ?? this.#synonym;
    const isOpen = complete === undefined && this.#isArgumentsKey() && this.#scanner.tokenStart !== this.#keyStart;
    const opener = isOpen ? this.#scanner.tokenOpener : complete?.opener;
    if (opener !== openingBrace) return '';
    const from = this.#drainedTo >= 0 ? this.#drainedTo : (complete?.start ?? this.#scanner.tokenStart);
    const to = complete?.end ?? window.position;
    const text = escapeControls(window.slice(from, to), this.#drainedPlace);
    this.#drainedTo = to;
    this.#drainedPlace = this.#scanner.place;
    return text;
  }

  #noteKey(window: TextWindow): void {
    const start = this.#scanner.tokenStart;
    const isShort = window.position - start <= longestKeyLiteral;
    this.#key = isShort ? decodeJsonString(window.slice(start, window.position)) : '';
    this.#keyStart = start;
    if (this.#key === this.#keys.name) {
      this.#isContradicted ||= this.#hasNameKey;
      this.#hasNameKey = true;
    } else if (this.#isArgumentsKey()) {
      this.#isContradicted ||= this.#hasArgumentsKey;
      this.#hasArgumentsKey = true;
    }
  }

  #noteValue(window: TextWindow): void {
    const span = { start: this.#scanner.tokenStart, end: window.position, opener: this.#scanner.tokenOpener };
    if (this.#key === this.#keys.name) {
      const name = span.opener === doubleQuote ? decodeJsonString(window.slice(span.start, span.end)) : '';
      this.#name = trimWhiteSpace(name) || undefined;
    } else if (this.#key === this.#keys.arguments) {
      this.#arguments = span;
    } else if (this.#key === this.#keys.argumentsSynonym) {
      this.#synonym = span;
    }
  }

  #isArgumentsKey(): boolean {
    return this.#key === this.#keys.arguments || this.#key === this.#keys.argumentsSynonym;
  }

  /** The text of the arguments object, or undefined where the value is something else. */
  #argumentsText(window: TextWindow): string | undefined {
    const span = this.#arguments ?? this.#synonym;
    if (span === undefined || span.opener === letterN) return '{}';
    if (span.opener !== openingBrace && span.opener !== doubleQuote) return undefined;
    const json = window.slice(span.start, span.end);
    if (span.opener === openingBrace) return escapeControls(json);
    const text = trimWhiteSpace(decodeJsonString(json));
    return text === '' ? '{}' : readJsonObject(text);
  }

  #fault(error: 'bad-json' | 'limit', window: TextWindow, message: string): Fault {
    const isOpen = error === 'bad-json';
    return { kind: 'fault', error, at: window.position, resumeAt: this.#resumeAt, message, isOpen };
  }
}

function refuseObject(error: 'bad-name' | 'bad-arguments', window: TextWindow, message: string): Fault {
  return { kind: 'fault', error, at: window.position, resumeAt: window.position, message, isOpen: false };
}
