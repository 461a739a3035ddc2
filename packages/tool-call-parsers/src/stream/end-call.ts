import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import type { TokenTable } from '../text/token-table.ts';
import type { Answer, CompletedCall } from './answer.ts';

/**
 * Reads what follows the body of a call, and says the call. Behind white space that is the end tag, another token of
 * `followers`, which stays, or the end of the text; anything else makes the call none.
 */
export function* endCall(answer: Answer, call: CompletedCall, endTag: string, followers: TokenTable): Reading<void> {
  const { window } = answer;
  const end = window.position;
  yield* skipSpace(window);
  const token = yield* peekToken(window, followers);
  if (token === undefined) return answer.fail('bad-structure', endTag, end);
  // An end tag that the end of the text cut is a missing end tag; another cut token is text behind the call.
  const { source, index } = window;
  if (token === endTag) window.index += token.length;
  else if (token === '' && endTag.startsWith(source.slice(index))) window.index = source.length;
  answer.call(call);
}
