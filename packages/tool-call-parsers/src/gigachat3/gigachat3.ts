import { argumentsKeys, readJsonCall } from '../json/json-call-body.ts';
import { writeJsonCall } from '../json/write-json-call.ts';
import type { Answer } from '../stream/answer.ts';
import { createParser } from '../stream/create-parser.ts';
import { findToken } from '../stream/marked-calls.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const separator = '<|message_sep|>';
const callStart = 'function call<|role_sep|>';
const tokens: TokenTable = /* @__PURE__ */ createTokenTable([separator, callStart]);

/** Reads an answer. Separators are markup at its edges, behind the call, and before it. */
function* read(answer: Answer): Reading<void> {
  const { window } = answer;
  yield* skipSpace(window);
  const textStart = window.position;
  for (;;) {
    let token: string | undefined = yield* findToken(answer, tokens);
    if (token === '') return;
    const start = window.position;
    while (token === separator) {
      window.index += separator.length;
      yield* skipSpace(window);
      token = yield* peekToken(window, tokens);
    }
    if (token) yield* readCall(answer, start);
    else if (start === textStart || answer.isAfterCall || window.position === window.end) answer.skip(window.position);
  }
}

/** Reads the call, of which an answer holds one. */
function* readCall(answer: Answer, start: number): Reading<void> {
  const { window } = answer;
  const resumeAt = window.position + callStart.length;
  if (answer.callCount > 0) {
    answer.open(start);
    return answer.fail('bad-structure', 'one call only', resumeAt);
  }
  window.index += callStart.length;
  const call = yield* readJsonCall(answer, start, argumentsKeys, resumeAt);
  if (call) answer.call(call);
}

/** The format of GigaChat 3: one call, `function call<|role_sep|>\n{"name": "…", "arguments": {…}}`. */
export const gigachat3: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'gigachat3',
  startMarkers: [callStart],
  read,
  separator: '',
  write: (calls) => calls.map((call) => `${separator}\n\n${callStart}\n${writeJsonCall(argumentsKeys, call)}`).join(''),
});
