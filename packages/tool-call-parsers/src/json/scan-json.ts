import type { Answer } from '../stream/answer.ts';
import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import type { JsonStop } from './json-scanner.ts';

/** How the reading of a JSON value ended. With `more`, the text was over. */
export type JsonEnd = Exclude<JsonStop, 'key' | 'value'>;

/** Reads a JSON value to its end, or as far as it is one, in steps of a scanner. */
export function* scanJson(window: TextWindow, step: (window: TextWindow) => JsonStop): Reading<JsonEnd> {
  let stop: JsonStop;
  do stop = step(window);
  while (stop === 'key' || stop === 'value' || (stop === 'more' && (yield* waitForMore(window))));
  return stop;
}

/** Tells why a JSON value that {@link scanJson} read is no call, where it did not come to its end. */
export function failJson(answer: Answer, end: Exclude<JsonEnd, 'end'>, expectation: string, resumeAt: number): void {
  const reason = end === 'limit' ? 'too long or too deep' : expectation;
  answer.fail(end === 'more' ? 'truncated' : end, reason, resumeAt);
}
