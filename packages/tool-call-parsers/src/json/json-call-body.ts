import { type Answer, type CallProgress, cutAt, type Fault, faultAt, maximumCallLength } from '../stream/answer.ts';
import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { createJsonScanner, type JsonPlace } from './json-scanner.ts';
import { decodeJsonString, escapeControls, readJsonObject } from './json-text.ts';

/** Under which keys a format writes the parts of a call. */
export interface JsonCallKeys {
  readonly name: string;
  readonly arguments: string;
  /** Read where the key of `arguments` is absent. */
  readonly synonym: string;
}

/** The keys that most formats use. `parameters` is read too. */
export const argumentsKeys: JsonCallKeys = { name: 'name', arguments: 'arguments', synonym: 'parameters' };

/** The keys of the formats that write `parameters`. */
export const parametersKeys: JsonCallKeys = { name: 'name', arguments: 'parameters', synonym: 'arguments' };

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

/**
 * Reads the JSON object that states a call, which begins where the window stands. Gives what it says, or why it is no
 * call. A complete object that is no call is a fault of the kind `bad-name` or `bad-arguments`, and the window stands
 * behind it.
 */
export function* readJsonCall(window: TextWindow, body: JsonCallBody): Reading<JsonCall | Fault> {
  for (;;) {
    const stop = body.read(window);
    if (stop === 'end') return body.call(window);
    if (stop !== 'more') return stop;
    if (!(yield* waitForMore(window))) return cutAt(window, body.expectation);
  }
}

/** Tells that a JSON object is no call. Reading goes on behind it where it is complete, else at `resumeAt`. */
export function failJsonCall(answer: Answer, fault: Fault, resumeAt: number): void {
  answer.fail(fault, /name|arguments/.test(fault.kind) ? answer.window.position : resumeAt);
}

/** The state of reading a JSON object that states a call. Shared by all formats whose calls are JSON objects. */
export interface JsonCallBody extends CallProgress {
  /** What would have to follow next. */
  readonly expectation: string;
  /** The key that was read last. */
  readonly key: string;
  /** Reads on. After `end` the window stands behind the object. */
  read(window: TextWindow): 'more' | 'end' | Fault;
  /** What the complete object says. */
  call(window: TextWindow): JsonCall | Fault;
}

/** A reader of an object that begins at `start`, or behind white space there. */
export function createJsonCallBody(keys: JsonCallKeys, start: number): JsonCallBody {
  const scanner = createJsonScanner();
  let name: string | undefined;
  let isRepeated = false;
  /** The key that was read last, and where it stands. */
  let key = '';
  let keyStart = -1;
  /** The last value under each of our keys. */
  const values: Map<string, ValueSpan> = new Map();
  /** How far the arguments were drained, and where in them that is; -1 before they begin. */
  let drainedTo = -1;
  let drainedPlace: JsonPlace = 'outside';

  function read(window: TextWindow): 'more' | 'end' | Fault {
    const limit = start + maximumCallLength;
    for (;;) {
      const stop = scanner.scan(window, limit);
      if (stop === 'end') return stop;
      if (stop === 'bad-json') return faultAt(window, stop, `not JSON, expected ${scanner.expectation}`);
      const isTooLong = stop === 'more' && window.position >= limit;
      if (stop === 'limit' || isTooLong) return faultAt(window, 'limit', 'too long or nested too deeply');
      if (stop === 'more') return stop;
      if (stop === 'key') noteKey(window);
      else noteValue(window);
    }
  }

  function call(window: TextWindow): JsonCall | Fault {
    if (name === undefined) {
      return faultAt(window, 'bad-name', `"${keys.name}" must be a non-blank string`);
    }
    const text = argumentsText(window);
    if (text !== undefined) return { name, arguments: text };
    return faultAt(window, 'bad-arguments', `"${keys.arguments}" must be a JSON object`);
  }

  /** Only an object flows; a string that may hold one waits until the end. */
  function drainArguments(window: TextWindow): string {
    const { tokenStart, tokenOpener, place } = scanner;
    const isOpen = isArgumentsKey() && tokenStart !== keyStart;
    const open = isOpen ? { start: tokenStart, end: window.position, opener: tokenOpener } : undefined;
    const value = argumentsValue() ?? open;
    if (value?.opener !== openingBrace) return '';
    const text = escapeControls(window.slice(Math.max(drainedTo, value.start), value.end), drainedPlace);
    drainedTo = value.end;
    drainedPlace = place;
    return text;
  }

  function noteKey(window: TextWindow): void {
    keyStart = scanner.tokenStart;
    key = decodeJsonString(window.slice(keyStart, window.position));
    isRepeated ||= values.has(key) || (isArgumentsKey() && argumentsValue() !== undefined);
  }

  function noteValue(window: TextWindow): void {
    const { tokenStart, tokenOpener: opener } = scanner;
    const isName = key === keys.name;
    if (isName || isArgumentsKey()) values.set(key, { start: tokenStart, end: window.position, opener });
    if (!isName) return;
    const text = opener === doubleQuote ? decodeJsonString(window.slice(tokenStart, window.position)) : '';
    name = trimWhiteSpace(text) || undefined;
  }

  function isArgumentsKey(): boolean {
    return key === keys.arguments || key === keys.synonym;
  }

  function argumentsValue(): ValueSpan | undefined {
    return values.get(keys.arguments) ?? values.get(keys.synonym);
  }

  /** The text of the arguments object, or undefined where the value is something else. */
  function argumentsText(window: TextWindow): string | undefined {
    const value = argumentsValue();
    if (value === undefined || value.opener === letterN) return '{}';
    const json = window.slice(value.start, value.end);
    if (value.opener === openingBrace) return escapeControls(json);
    if (value.opener !== doubleQuote) return undefined;
    const text = trimWhiteSpace(decodeJsonString(json));
    return text === '' ? '{}' : readJsonObject(text);
  }

  return {
    get name() {
      return name;
    },
    get isRepeated() {
      return isRepeated;
    },
    get key() {
      return key;
    },
    get expectation() {
      return scanner.expectation;
    },
    read,
    call,
    drainArguments,
  };
}
