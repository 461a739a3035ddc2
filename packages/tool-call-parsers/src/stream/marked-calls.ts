import { type Reading, waitForMore } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import type { Answer, AnswerReading } from './answer.ts';

/** A format whose calls begin with markers, among other markup. */
export interface MarkedGrammar {
  /** Markers behind which {@link readCall} reads. */
  readonly startMarkers: readonly string[];
  /** Markup that vanishes directly behind a call. */
  readonly closers?: readonly string[] | undefined;
  /**
   * Reads what follows a marker, which begins at `start`, from behind it on, and calls {@link Answer.call} or
   * {@link Answer.fail}. The search for markers goes on where the window then stands.
   */
  readonly readCall: (answer: Answer, start: number, marker: string) => Reading<void>;
}

/** Makes the reading of a format whose calls begin with markers. */
export function markedCalls({ startMarkers, closers = [], readCall }: MarkedGrammar): AnswerReading {
  const table = createTokenTable([...startMarkers, ...closers]);

  return function* readCalls(answer) {
    const { window } = answer;
    for (;;) {
      const token = yield* findToken(answer, table);
      if (token === '') return;
      const start = window.position;
      window.index += token.length;
      if (startMarkers.includes(token)) yield* readCall(answer, start, token);
      else if (answer.isAfterCall) answer.skip(window.position);
    }
  };
}

/** Gives text away up to a token of the table; the window then stands at it. Empty at the end of the text. */
export function* findToken(
  answer: Answer,
  table: TokenTable,
  give: (to: number) => void = answer.text,
): Reading<string> {
  const { window } = answer;
  for (;;) {
    const { source } = window;
    const at = table.find(source, window.index);
    const token = table.match(source, at);
    window.index = at;
    if (token === undefined) {
      window.index += 1;
      continue;
    }
    give(window.position);
    if (token !== '') return token;
    if (!(yield* waitForMore(window))) {
      give(window.end);
      window.index = source.length;
      return '';
    }
  }
}
