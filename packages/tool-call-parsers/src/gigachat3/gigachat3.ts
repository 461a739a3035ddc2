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

/**
 * Reads an answer. Separators are markup at its edges, behind a call, and before one. The model writes one call; if it
 * wrote another like it, that would be one too.
 */
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
    if (token) {
      window.index += callStart.length;
      const call = yield* readJsonCall(answer, start, argumentsKeys);
      if (call) answer.call(call);
    } else if (start === textStart || answer.isAfterCall || window.position === window.end)
      answer.skip(window.position);
  }
}

/** The format of GigaChat 3: `function call<|role_sep|>\n{"name": "…", "arguments": {…}}`. */
export const gigachat3: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'gigachat3',
  startMarkers: [callStart],
  read,
  callEnd: /}/,
  separator: '',
  write: (calls) => calls.map((call) => `${separator}\n\n${callStart}\n${writeJsonCall(argumentsKeys, call)}`).join(''),
});
