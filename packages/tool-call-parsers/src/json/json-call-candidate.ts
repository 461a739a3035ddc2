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
 * Reads the JSON object that begins where the window stands, with no marker to say that it is a call. The result is
 * undefined where it is none: then it is text, which is given as soon as that is known, and the window stands behind
 * it, or at the fault. A fault is told only of what had the shape of a call before.
 */
export function* readJsonCandidate(
  answer: Answer,
  start: number,
  keys: JsonCallKeys,
  shape: CallShape,
): Reading<CompletedCall | undefined> {
  const { window } = answer;
  const body = createJsonCallBody(keys, window.position);
  let isCall: boolean | undefined;
  let stop: JsonStop;
  do {
    stop = body.read(window);
    if (stop === 'key' || stop === 'value') {
      const wasCall = isCall;
      isCall = shape(body);
      if (isCall && !wasCall) answer.open(start, body);
      if (isCall === false) {
        if (wasCall) answer.fail('bad-structure', 'a call and nothing else', window.position);
        stop = yield* skipJson(answer, body.scanner);
        return undefined;
      }
    }
  } while (stop === 'key' || stop === 'value' || (stop === 'more' && (yield* waitForMore(window))));
  if (isCall) return endJsonCall(answer, body, stop, window.position);
  answer.text(window.position);
  return undefined;
}

/** Gives the rest of a JSON value as text while it is read. The window then stands behind it, or at a fault. */
export function* skipJson(answer: Answer, scanner: JsonScanner): Reading<JsonStop> {
  const { window } = answer;
  let stop: JsonStop;
  do {
    stop = scanner.scan(window, Number.POSITIVE_INFINITY);
    answer.text(window.position);
  } while (stop === 'key' || stop === 'value' || (stop === 'more' && (yield* waitForMore(window))));
  return stop;
}
