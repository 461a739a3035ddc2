import { createTextWindow, type TextWindow } from './text-window.ts';

/**
 * A piece of reading that pauses (`yield`) where the text so far is used up, and goes on once there is more or the text
 * is over. So a grammar is written as if the whole text were there.
 */
export type Reading<Result> = Generator<undefined, Result, undefined>;

/** Waits for more text. False where none will come. */
export function* waitForMore(window: TextWindow): Reading<boolean> {
  if (window.isOver) return false;
  yield;
  return true;
}

/** Skips white space, however many pieces it spans. True where a character follows in the window, false at the text's end. */
export function* skipSpace(window: TextWindow): Reading<boolean> {
  for (;;) {
    window.skipWhiteSpace();
    if (!window.isRead) return true;
    if (!(yield* waitForMore(window))) return false;
  }
}

/** Reads a text that is all there. */
export function readWhole<Result>(text: string, reading: (window: TextWindow) => Reading<Result>): Result {
  const window = createTextWindow();
  window.append(text);
  window.isOver = true;
  const step = reading(window).next();
  if (step.done) return step.value;
  throw new Error('A reading waits for more of a text that is over');
}
