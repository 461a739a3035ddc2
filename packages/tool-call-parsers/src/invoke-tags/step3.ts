import type { Answer } from '../stream/answer.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable } from '../text/token-table.ts';
import { failHere } from '../text-call/fail-here.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import { createInvokeTags, readAnywhere } from './invoke-tags.ts';

const type = 'function';
const separator = '<｜tool_sep｜>';

/** White space may stand between the parts. */
function* readLead(answer: Answer, tagStart: string): Reading<boolean> {
  const { window } = answer;
  for (const part of [type, separator, tagStart]) {
    yield* skipSpace(window);
    const token = yield* peekToken(window, createTokenTable([part]));
    if (!token) {
      failHere(answer, token, part);
      return false;
    }
    window.index += token.length;
  }
  return true;
}

/** The format of Step-3. */
export const step3: ToolCallParser = /* @__PURE__ */ createInvokeTags({
  name: 'step3',
  section: ['<｜tool_calls_begin｜>', '<｜tool_calls_end｜>'],
  prefix: 'steptml:',
  frame: { start: '<｜tool_call_begin｜>', lead: type + separator, end: '<｜tool_call_end｜>', readLead },
  between: '',
  read: readAnywhere,
});
