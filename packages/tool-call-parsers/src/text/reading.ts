import { createTextWindow, type TextWindow } from './text-window.ts';
import type { TokenTable } from './token-table.ts';
import { skipWhiteSpace } from './white-space.ts';

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

/** Skips white space, however many pieces it spans. Gives the character that follows, empty at the end of the text. */
export function* skipSpace(window: TextWindow): Reading<string> {
  for (;;) {
    const { source } = window;
    window.index = skipWhiteSpace(source, window.index);
    if (window.index < source.length || !(yield* waitForMore(window))) return window.source.charAt(window.index);
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
 * Goes to the first token of the table and gives it; the window then stands at it. Empty where there is none: the
 * window then stands at the end of the text or behind the first `limit` characters.
 */
export function* seekToken(
  window: TextWindow,
  table: TokenTable,
  limit: number = Number.POSITIVE_INFINITY,
): Reading<string> {
  const last = window.position + limit;
  for (;;) {
    const { source, base } = window;
    window.index = Math.min(table.find(source, window.index), last - base + 1);
    if (window.position > last) return '';
    const token = table.match(source, window.index);
    if (token) return token;
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
