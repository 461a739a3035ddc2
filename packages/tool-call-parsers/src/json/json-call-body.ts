import type { Answer, CallProgress, CompletedCall } from '../stream/answer.ts';
import { maximumCallLength } from '../stream/call-limits.ts';
import { type Reading, skipSpace } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { createJsonScanner, type JsonScanner, type JsonStop } from './json-scanner.ts';
import { decodeJsonString, escapeControls, readJsonObject } from './json-text.ts';
import { failJson, scanJson } from './scan-json.ts';

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
 * Reads the JSON object that states a call, behind white space where the window stands. The attempt began at `start`.
 * Where it is no call, that is told, and reading goes on behind it where it is complete (then the result is undefined),
 * else at `resumeAt` (false).
 */
export function* readJsonCall(
  answer: Answer,
  start: number,
  keys: JsonCallKeys,
  resumeAt: number = answer.window.position,
): Reading<CompletedCall | false | undefined> {
  const { window } = answer;
  const body = createJsonCallBody(keys, window.position);
  answer.open(start, body);
  const opener = yield* skipSpace(window);
  if (opener !== '{') {
    answer.fail(opener ? 'bad-structure' : 'truncated', '{', resumeAt);
    return false;
  }
  return endJsonCall(answer, body, yield* scanJson(window, body.read), resumeAt);
}

/** What an object says that was read as far as it goes; where that is no call, {@link readJsonCall} says what is told. */
export function endJsonCall(
  answer: Answer,
  body: JsonCallBody,
  stop: JsonStop,
  resumeAt: number,
): CompletedCall | false | undefined {
  const { window } = answer;
  if (stop === 'end') {
    const call = body.call(window);
    if (typeof call === 'object') return call;
    const { keys } = body;
    const isName = call === 'bad-name';
    const reason = isName ? `"${keys.name}" must be a non-blank string` : `"${keys.arguments}" must be a JSON object`;
    answer.fail(call, reason, window.position);
    return undefined;
  }
  failJson(answer, stop, body.scanner.expectation, resumeAt);
  return false;
}

/** The state of reading a JSON object that states a call. Shared by all formats whose calls are JSON objects. */
export interface JsonCallBody extends CallProgress {
  readonly keys: JsonCallKeys;
  /** What reads the object. */
  readonly scanner: JsonScanner;
  /** The key that was read last. */
  readonly key: string;
  /** Whether the key of the arguments, or its synonym, was read. */
  readonly hasArguments: boolean;
  /** Reads on, and stops behind each key and value, and behind the object. */
  read(window: TextWindow): JsonStop;
  /** What the complete object says, or which of its parts says nothing. */
  call(window: TextWindow): CompletedCall | 'bad-name' | 'bad-arguments';
}

/** A reader of an object that begins at `start`, or behind white space there. */
export function createJsonCallBody(keys: JsonCallKeys, start: number): JsonCallBody {
  const scanner = createJsonScanner();
  let name: string | undefined;
  let hasName = false;
  /** The value of the arguments, and whether it stands under the format's own key. */
  let value: ValueSpan | undefined;
  let isNative = false;
  let isRepeated = false;
  /** The key that was read last, and where it stands. */
  let key = '';
  let keyStart = -1;
  /** How far the arguments were drained, and whether that is in a string. */
  let drainedTo = 0;
  let wasInString = false;

  function isArgumentsKey(): boolean {
    return key === keys.arguments || key === keys.synonym;
  }

  function noteKey(window: TextWindow): void {
    keyStart = scanner.tokenStart;
    key = decodeJsonString(window.slice(keyStart, window.position));
    isRepeated ||= key === keys.name ? hasName : isArgumentsKey() && value !== undefined;
  }

  function noteValue(window: TextWindow): void {
    const { tokenStart, tokenOpener: opener } = scanner;
    if (key === keys.name) {
      hasName = true;
      const text = opener === doubleQuote ? decodeJsonString(window.slice(tokenStart, window.position)) : '';
      name = trimWhiteSpace(text) || undefined;
    } else if (key === keys.arguments || (key === keys.synonym && !isNative)) {
      value = { start: tokenStart, end: window.position, opener };
      isNative = key === keys.arguments;
    }
  }

  /** The text of the arguments object, or undefined where the value is something else. */
  function argumentsText(window: TextWindow): string | undefined {
    if (value === undefined || value.opener === letterN) return '{}';
    const json = window.slice(value.start, value.end);
    if (value.opener === openingBrace) return scanner.hasControls ? escapeControls(json) : json;
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
    keys,
    scanner,
    get key() {
      return key;
    },
    get hasArguments() {
      return value !== undefined || isArgumentsKey();
    },
    read(window) {
      const stop = scanner.scan(window, start + maximumCallLength);
      if (stop === 'key') noteKey(window);
      else if (stop === 'value') noteValue(window);
      return stop;
    },
    call(window) {
      if (name === undefined) return 'bad-name';
      const text = argumentsText(window);
      return text === undefined ? 'bad-arguments' : { name, arguments: text };
    },
    /** Only an object flows; a string that may hold one waits until the end. */
    drainArguments(window) {
      const { tokenStart, tokenOpener: opener } = scanner;
      const isOpen = isArgumentsKey() && tokenStart !== keyStart;
      const shown = value ?? (isOpen && { start: tokenStart, end: window.position, opener });
      if (!shown || shown.opener !== openingBrace) return '';
      const text = escapeControls(window.slice(Math.max(drainedTo, shown.start), shown.end), wasInString);
      drainedTo = shown.end;
      wasInString = scanner.isInString;
      return text;
    },
  };
}
