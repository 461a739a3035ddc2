import type { Reading } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import type { ParseErrorKind } from '../tool-call-parser.ts';

/** Why something could not be read, because of what stands where the window stands, or since the text ended. */
export interface ReadingFault {
  readonly kind: ParseErrorKind;
  /** What was expected, or what is wrong. */
  readonly reason: string;
}

/** The fault of calls that are longer than calls may be. */
export const tooLong: ReadingFault = { kind: 'limit', reason: 'the call is too long' };

/** Reads the arguments of a call, which may not go on beyond `end`. */
export function* readWithin(
  window: TextWindow,
  end: number,
  reading: Reading<ReadingFault | undefined>,
): Reading<ReadingFault | undefined> {
  for (;;) {
    const step = reading.next();
    if (window.position > end) {
      // However the text is cut, the fault is in the same place.
      window.rewind(end);
      return tooLong;
    }
    if (step.done) return step.value;
    yield;
  }
}
