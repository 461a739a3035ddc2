import { argumentsKeys, readJsonCall } from '../json/json-call-body.ts';
import { writeJsonCall } from '../json/write-json-call.ts';
import type { Answer } from '../stream/answer.ts';
import { createParser } from '../stream/create-parser.ts';
import { inertBetween } from '../stream/inert-calls.ts';
import { findToken, markedCalls } from '../stream/marked-calls.ts';
import { type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const startTag = '<tool_calls>';
const endTag = '</tool_calls>';
const startMarkers = [startTag];
const lineEnds: TokenTable = /* @__PURE__ */ createTokenTable(['\n', startTag, endTag]);

/** Reads calls line by line, up to the next tag. A line that holds no call is text, but the first must begin like one. */
function* readCalls(answer: Answer, start: number): Reading<void> {
  const { window } = answer;
  const watched = resumeOnce(answer);
  let opener = yield* skipSpace(window);
  const isSection = opener === '{';
  let from = start;
  let token = '\n';
  while (token === '\n') {
    if (opener === '{' || !isSection) {
      const call = yield* readJsonCall(watched, from, argumentsKeys);
      if (!isSection) return;
      if (call) {
        answer.call(call);
        opener = yield* skipSpace(window);
        from = window.position;
        if (opener === '{') continue;
      }
    }
    token = yield* findToken(answer, lineEnds);
    if (token === '\n') opener = yield* skipSpace(window);
    from = window.position;
  }
}

/**
 * Where a line holds the beginning of an object only, the next line is tried for itself. Lines that are nested in one
 * broken object would be read again and again, so the second that fails at the same place ends there.
 */
function resumeOnce(answer: Answer): Answer {
  let faultAt = -1;
  return {
    ...answer,
    fail(kind, reason, resumeAt) {
      const { position } = answer.window;
      const isAgain = resumeAt < faultAt && position >= faultAt;
      faultAt = Math.max(faultAt, position);
      answer.fail(kind, reason, isAgain ? position : resumeAt);
    },
  };
}

/** The format of MiniMax-M1: `<tool_calls>\n{"name": "…", "arguments": {…}}\n</tool_calls>`, one call per line. */
export const minimax: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'minimax',
  startMarkers,
  read: /* @__PURE__ */ markedCalls(
    /* @__PURE__ */ inertBetween('<think>', '</think>', { startMarkers, closers: [endTag], readCall: readCalls }),
  ),
  callEnd: /}/,
  separator: '\n',
  write(calls) {
    const lines = calls.map((call) => writeJsonCall(argumentsKeys, call));
    return [startTag, ...lines, endTag].join('\n');
  },
});
