import { createTokenTable } from '../text/token-table.ts';
import { findToken, type MarkedGrammar } from './marked-calls.ts';

/** The grammar, but that everything from `open` to the next `close`, or to the end of the text, is text. */
export function inertBetween(open: string, close: string, grammar: MarkedGrammar): MarkedGrammar {
  const ends = createTokenTable([close]);
  return {
    ...grammar,
    startMarkers: [...grammar.startMarkers, open],
    *readCall(answer, start, marker) {
      if (marker === open) yield* findToken(answer, ends);
      else yield* grammar.readCall(answer, start, marker);
    },
  };
}
