import { createTextWindow, type TextWindow } from './text-window.ts';
import type { TokenTable } from './token-table.ts';

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

/**
 * The token of the table that stands where the window stands; the window stays there. Undefined where there is none,
 * empty where the text ends, maybe inside one.
 */
export function* peekToken(window: TextWindow, table: TokenTable): Reading<string | undefined> {
  for (;;) {
    const token = table.match(window.source, window.index);
    if (token !== '' || !(yield* waitForMore(window))) return token;
  }
}

/**
 * Goes to the first token of the table and gives it; the window then stands at it. Empty, with the window at the end of
 * the text or of the first `limit` characters, where there is none.
 */
export function* seekToken(window: TextWindow, table: TokenTable, limit: number): Reading<string> {
  const last = window.position + limit;
  for (;;) {
    const { source } = window;
    window.index = table.find(source, window.index);
    const token = window.position > last ? undefined : table.match(source, window.index);
    if (token) return token;
    if (window.position > last) return '';
    if (token === undefined) window.index += 1;
    else if (!(yield* waitForMore(window))) {
      window.index = source.length;
      return '';
    }
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
