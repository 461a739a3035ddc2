import type { Answer, CompletedCall } from '../stream/answer.ts';
import { type Reading, waitForMore } from '../text/reading.ts';
import { createJsonCallBody, endJsonCall, type JsonCallBody, type JsonCallKeys } from './json-call-body.ts';
import type { JsonScanner, JsonStop } from './json-scanner.ts';

/**
 * Tells by its shape whether an object is a call. Asked after each of its keys and values: true once it is one, false
 * once it is none, undefined while that is open. An object that ends while it is open is none.
 */
export type CallShape = (body: JsonCallBody) => boolean | undefined;

/**
 * Reads the JSON object that begins where the window stands, of which only its shape says whether it is a call. The
 * result is undefined where it is none, false where it is not even JSON: then it is text, which is given as soon as that
 * is known, and the window stands behind it, or at the fault. A fault is told only of what had the shape of a call
 * before, or of all where a marker announced a call.
 */
export function* readJsonCandidate(
  answer: Answer,
  start: number,
  keys: JsonCallKeys,
  shape: CallShape,
  isMarked = false,
): Reading<CompletedCall | false | undefined> {
  const { window } = answer;
  const body = createJsonCallBody(keys, window.position);
  let isOpen = isMarked;
  if (isOpen) answer.open(start, body);
  let isCall: boolean | undefined;
  let stop: JsonStop;
  do {
    stop = body.read(window);
    if (stop === 'key' || stop === 'value') {
      isCall = shape(body);
      if (isCall && !isOpen) answer.open(start, body);
      if (isCall === false) {
        const { position } = window;
        if (isOpen) {
          // The fault is what was just read; what follows may not be there yet.
          window.rewind(body.scanner.tokenStart);
          answer.fail('bad-structure', 'a call and nothing else', position);
        }
        return (yield* skipJson(answer, body.scanner)) === 'end' ? undefined : false;
      }
      isOpen ||= isCall === true;
    }
  } while (stop === 'key' || stop === 'value' || (stop === 'more' && (yield* waitForMore(window))));
  if (isOpen && (isCall || stop !== 'end')) return endJsonCall(answer, body, stop, window.position);
  if (isOpen) answer.fail('bad-arguments', `"${keys.name}" and "${keys.arguments}" must be given`, window.position);
  else answer.text(window.position);
  return stop === 'end' ? undefined : false;
}

/** Gives the rest of a JSON value as text while it is read. The window then stands behind it, or at a fault. */
function* skipJson(answer: Answer, scanner: JsonScanner): Reading<JsonStop> {
  const { window } = answer;
  let stop: JsonStop;
  do {
    stop = scanner.scan(window);
    answer.text(window.position);
  } while (stop === 'key' || stop === 'value' || (stop === 'more' && (yield* waitForMore(window))));
  return stop;
}
