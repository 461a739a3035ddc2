import type { Answer, CompletedCall } from '../stream/answer.ts';
import { type Reading, skipSpace } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createJsonScanner } from './json-scanner.ts';
import { scanJson } from './scan-json.ts';

/**
 * Reads the object that begins where the window stands as a call; the attempt began at `start`. Where it is none, that
 * is told as far as it has to be. Then the result is undefined and the window stands behind the object, or the result is
 * false since it is not even JSON, and reading goes on where the window stands.
 */
export type ReadElement = (answer: Answer, start: number) => Reading<CompletedCall | false | undefined>;

/**
 * Reads an array of calls, from its bracket on, where the window stands; the attempt of the first call began at `start`.
 * Elements count one by one: one that is no call is text, and so are the bracket and the comma beside it. Reading ends
 * at what cannot stand in an array, and a cut array keeps its complete elements. A bare array, which nothing but its
 * shape makes one of calls, must begin with an object, and what else it holds is no fault.
 */
export function* readJsonArray(answer: Answer, start: number, readElement: ReadElement, isBare = false): Reading<void> {
  const { window } = answer;
  let from = start;
  let resumeAt = window.position;
  let isAfterCall = false;

  /** Takes a bracket or comma in. */
  function step(): void {
    window.index += 1;
    if (isAfterCall) answer.skip(window.position);
    else answer.text(window.position);
  }

  window.index += 1;
  let opener = yield* skipSpace(window);
  if (isBare && opener !== '{') return window.rewind(resumeAt);
  for (;;) {
    const isObject = opener === '{';
    const { position } = window;
    if (!isObject && !isBare) {
      answer.open(from);
      answer.fail(opener ? 'bad-structure' : 'truncated', '{', resumeAt);
      window.rewind(position);
    }
    const call = yield* isObject ? readElement(answer, from) : skipJson(window);
    isAfterCall = Boolean(call);
    if (call) answer.call(call);
    const next = call === false ? '' : yield* skipSpace(window);
    if (next !== ',' && next !== ']') {
      // Prose with quotation marks, say, in which a marker may follow.
      if (!isObject) window.rewind(resumeAt);
      return;
    }
    step();
    if (next === ']') return;
    opener = yield* skipSpace(window);
    if (opener === ']') step();
    if (opener === ']' || !opener) return;
    from = window.position;
    resumeAt = from;
  }
}

/** Reads a JSON value that says nothing. The result is false where there is none. */
export function* skipJson(window: TextWindow): Reading<false | undefined> {
  return (yield* scanJson(window, createJsonScanner().scan)) === 'end' ? undefined : false;
}
