import type { Answer, AnswerReading } from '../stream/answer.ts';
import { type MarkedGrammar, markedCalls } from '../stream/marked-calls.ts';
import { type Reading, skipSpace } from '../text/reading.ts';
import { type ReadElement, readJsonArray } from './json-array.ts';

/** A format whose markers stand before arrays of calls. */
export interface MarkedArrayGrammar extends Omit<MarkedGrammar, 'readCall'> {
  readonly readElement: ReadElement;
}

/** Makes the reading of a format whose markers stand before arrays of calls. */
export function markedArrays(grammar: MarkedArrayGrammar): AnswerReading {
  return markedCalls({ ...grammar, readCall: (answer, start) => readMarkedArray(answer, start, grammar.readElement) });
}

/** Reads the array that a marker at `start` announces, behind white space where the window stands. */
export function* readMarkedArray(answer: Answer, start: number, readElement: ReadElement): Reading<void> {
  const { window } = answer;
  const resumeAt = window.position;
  const opener = yield* skipSpace(window);
  if (opener === '[') return yield* readJsonArray(answer, start, readElement);
  answer.open(start);
  answer.fail(opener ? 'bad-structure' : 'truncated', '[', resumeAt);
}
