import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable } from '../text/token-table.ts';
import { failHere } from '../text-call/fail-here.ts';
import type { Answer } from './answer.ts';
import type { MarkedGrammar } from './marked-calls.ts';

/**
 * The grammar, but that `openers` vanish directly before a call. They announce one, so an opener before anything else,
 * such as a call in another format, is a call that went wrong.
 */
export function openedBy(openers: readonly string[], grammar: MarkedGrammar): MarkedGrammar {
  const startMarkers = [...grammar.startMarkers, ...openers];
  const table = createTokenTable(startMarkers);

  function* readCall(answer: Answer, start: number, marker: string): Reading<void> {
    const { window } = answer;
    let token: string | undefined = marker;
    while (token && openers.includes(token)) {
      yield* skipSpace(window);
      token = yield* peekToken(window, table);
      if (token) window.index += token.length;
    }
    if (token) return yield* grammar.readCall(answer, start, token);
    // Opened no sooner: what follows an opener is not held once it is known to be text.
    answer.open(start);
    failHere(answer, token, 'a call');
  }

  return { ...grammar, startMarkers, readCall };
}
