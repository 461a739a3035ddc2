import type { Answer } from '../stream/answer.ts';
import { type Reading, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import type { JsonStop } from './json-scanner.ts';

/** Reads a JSON value to its end, or as far as it is one, in steps of a scanner. */
export function* scanJson(window: TextWindow, step: (window: TextWindow) => JsonStop): Reading<JsonStop> {
  let stop: JsonStop;
  do stop = step(window);
  while (stop === 'key' || stop === 'value' || (stop === 'more' && (yield* waitForMore(window))));
  return stop;
}

/** Tells why a JSON value that {@link scanJson} read is no call, where it did not come to its end. */
export function failJson(answer: Answer, stop: JsonStop, expectation: string, resumeAt: number): void {
  if (stop === 'limit') answer.fail(stop, 'too long or too deep', resumeAt);
  else answer.fail(stop === 'more' ? 'truncated' : 'bad-json', expectation, resumeAt);
}
