import type { Answer, CallProgress, CompletedCall } from '../stream/answer.ts';
import { maximumCallLength } from '../stream/call-limits.ts';
import { type Reading, skipSpace } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { createJsonScanner, type JsonScanner, type JsonStop } from './json-scanner.ts';
import { decodeJsonString, escapeControls, readJsonObject } from './json-text.ts';
import { failJson, type JsonEnd, scanJson } from './scan-json.ts';

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
  stop: JsonEnd,
  resumeAt: number,
): CompletedCall | false | undefined {
  const { window } = answer;
  if (stop === 'end') {
    const call = body.call(window);
    if (typeof call === 'object') return call;
    const { keys } = body;
    const [key, wanted] = call === 'bad-name' ? [keys.name, 'non-blank string'] : [keys.arguments, 'JSON object'];
    answer.fail(call, `"${key}" must be a ${wanted}`, window.position);
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
  key: string;
  /** The value of the arguments, once it is complete. */
  value: ValueSpan | undefined;
  name: string | undefined;
  isRepeated: boolean;
  /** Reads on, and stops behind each key and value, and behind the object. */
  read(window: TextWindow): JsonStop;
  /** Whether the last key is that of the arguments, or its synonym. */
  isAtArguments(): boolean;
  /** What the complete object says, or which of its parts says nothing. */
  call(window: TextWindow): CompletedCall | 'bad-name' | 'bad-arguments';
}

/** A reader of an object that begins at `start`, or behind white space there. */
export function createJsonCallBody(keys: JsonCallKeys, start: number): JsonCallBody {
  const scanner = createJsonScanner();
  /** Whether the arguments stand under the format's own key. */
  let isNative = false;
  /** Where the last key stands. */
  let keyStart = -1;
  /** How far the arguments were drained, and whether that is in a string. */
  let drainedTo = 0;
  let wasInString = false;

  const body: JsonCallBody = {
    keys,
    scanner,
    key: '',
    value: undefined,
    name: undefined,
    isRepeated: false,
    isAtArguments: () => body.key === keys.arguments || body.key === keys.synonym,
    read(window) {
      const stop = scanner.scan(window, start + maximumCallLength);
      const { tokenStart, tokenOpener: opener } = scanner;
      const isName = body.key === keys.name;
      if (stop === 'key') {
        keyStart = tokenStart;
        body.key = decodeJsonString(window.slice(tokenStart, window.position));
        const isSeen = body.key === keys.name ? body.name : body.isAtArguments() && body.value;
        if (isSeen) body.isRepeated = true;
      } else if (stop === 'value' && isName) {
        const text = opener === doubleQuote ? decodeJsonString(window.slice(tokenStart, window.position)) : '';
        body.name = trimWhiteSpace(text) || undefined;
      } else if (stop === 'value' && (body.key === keys.arguments || (body.isAtArguments() && !isNative))) {
        body.value = { start: tokenStart, end: window.position, opener };
        isNative = body.key === keys.arguments;
      }
      return stop;
    },
    call(window) {
      const { name, value } = body;
      if (!name) return 'bad-name';
      let text: string | undefined = '{}';
      if (value && value.opener !== letterN) {
        const json = window.slice(value.start, value.end);
        if (value.opener === openingBrace) text = scanner.hasControls ? escapeControls(json) : json;
        else {
          const inner = value.opener === doubleQuote ? trimWhiteSpace(decodeJsonString(json)) : '[';
          if (inner) text = readJsonObject(inner);
        }
      }
      return text ? { name, arguments: text } : 'bad-arguments';
    },
    /** Only an object flows; a string that may hold one waits until the end. */
    drainArguments(window) {
      const { tokenStart, tokenOpener: opener } = scanner;
      const isOpen = body.isAtArguments() && tokenStart !== keyStart;
      const shown = body.value ?? (isOpen && { start: tokenStart, end: window.position, opener });
      if (!shown || shown.opener !== openingBrace) return '';
      const text = escapeControls(window.slice(Math.max(drainedTo, shown.start), shown.end), wasInString);
      drainedTo = shown.end;
      wasInString = scanner.isInString;
      return text;
    },
  };
  return body;
}
