import type { AnswerReading } from '../stream/answer.ts';
import { findToken, type MarkedGrammar, markedCalls } from '../stream/marked-calls.ts';
import { peekToken, skipSpace } from '../text/reading.ts';
import { createTokenTable } from '../text/token-table.ts';
import { failHere } from '../text-call/fail-here.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import { createInvokeTags } from './invoke-tags.ts';

/** Reads calls in sections, and what text may stand between them. Elsewhere they are text: their tags might be any text's. */
function readSections(
  { startMarkers: [callStart = ''], readCall }: MarkedGrammar,
  [sectionStart, sectionEnd]: readonly [string, string],
): AnswerReading {
  const tokens = createTokenTable([callStart, sectionEnd]);
  return markedCalls({
    startMarkers: [sectionStart],
    *readCall(answer, start) {
      const { window } = answer;
      answer.open(start);
      yield* skipSpace(window);
      let token = yield* peekToken(window, tokens);
      if (token !== callStart) return failHere(answer, token, callStart);
      let at = start;
      while (token === callStart) {
        window.index += token.length;
        yield* readCall(answer, at, token);
        token = yield* findToken(answer, tokens);
        at = window.position;
      }
      window.index += token.length;
      if (answer.isAfterCall) answer.skip(window.position);
    },
  });
}

/** The format of MiniMax-M2. */
export const minimaxM2: ToolCallParser = /* @__PURE__ */ createInvokeTags({
  name: 'minimax_m2',
  aliases: ['minimax-m2'],
  section: ['<minimax:tool_call>', '</minimax:tool_call>'],
  prefix: '',
  between: '\n',
  stripsLineFeeds: true,
  startMarkers: ['<minimax:tool_call>'],
  read: readSections,
});
