import { bareCalls } from '../json/bare-calls.ts';
import { readJsonArray } from '../json/json-array.ts';
import { argumentsKeys, readJsonCall } from '../json/json-call-body.ts';
import { readMarkedArray } from '../json/marked-arrays.ts';
import { writeJsonArray, writeJsonCall } from '../json/write-json-call.ts';
import type { Answer } from '../stream/answer.ts';
import { createParser } from '../stream/create-parser.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import { holdCalls } from './hold-calls.ts';

const thinkEnd = '</think>';
const fence = '```';
const fences: TokenTable = /* @__PURE__ */ createTokenTable([fence]);

/** Reads what follows a marker. Behind the end of thinking and in a fence, only the shape of the objects makes them calls. */
function* readCall(answer: Answer, start: number, marker: string): Reading<void> {
  if (marker === thinkEnd) {
    answer.text(answer.window.position);
    yield* readBare(answer);
  } else if (marker.startsWith(fence)) yield* readFenced(answer, start);
  else yield* readMarkedArray(answer, start, (_answer, from) => readJsonCall(answer, from, argumentsKeys));
}

/** Reads an array that no marker announces, behind white space where the window stands, if there is one. */
function* readBare(answer: Answer): Reading<void> {
  if ((yield* skipSpace(answer.window)) !== '[') return;
  yield* readJsonArray(answer, answer.window.position, bareCalls(answer), true);
}

/** Reads an array in a code fence, which began at `start`. It counts only if the fence is closed behind it. */
function* readFenced(answer: Answer, start: number): Reading<void> {
  const { window } = answer;
  if ((yield* skipSpace(window)) !== '[') return;
  const held = holdCalls(answer);
  yield* readJsonArray(held.answer, start, bareCalls(answer), true);
  if (!held.hasCalls()) return;
  yield* skipSpace(window);
  const token = yield* peekToken(window, fences);
  if (!token) return answer.fail(token === '' ? 'truncated' : 'bad-structure', fence, window.position);
  window.index += fence.length;
  const end = window.position;
  held.release();
  if (answer.isAfterCall) answer.skip(end);
  window.rewind(end);
}

const readMarked = /* @__PURE__ */ markedCalls({
  startMarkers: ['[TOOL_CALLS]', '<tool_call>', thinkEnd, fence, '```json'],
  closers: ['</tool_call>'],
  readCall,
});

/**
 * The format of the xLAM models: an array of `{"name": "…", "arguments": {…}}` at the start of the text, behind the
 * thinking, in a code fence, or behind a marker of other models.
 */
export const xlam: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'xlam',
  startMarkers: [],
  *read(answer) {
    yield* readBare(answer);
    yield* readMarked(answer);
  },
  callEnd: /[}`]/,
  separator: '\n',
  write: (calls) => `\`\`\`json\n${writeJsonArray(calls.map((call) => writeJsonCall(argumentsKeys, call)))}\n\`\`\``,
});
