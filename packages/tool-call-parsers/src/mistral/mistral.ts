import { readArgumentsObject } from '../json/json-arguments.ts';
import { readJsonArray } from '../json/json-array.ts';
import { argumentsKeys, readJsonCall } from '../json/json-call-body.ts';
import type { Answer } from '../stream/answer.ts';
import { createParser } from '../stream/create-parser.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { readLabel } from '../stream/read-label.ts';
import { isCallName } from '../text/call-name.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import { isMistralId, toMistralId } from './mistral-id.ts';

const startMarkers = ['[TOOL_CALLS]'];
const idToken = '[CALL_ID]';
const argumentsToken = '[ARGS]';
const parts: TokenTable = /* @__PURE__ */ createTokenTable([idToken, argumentsToken]);
/** What cannot be part of a name. */
const nameEnds: TokenTable = /* @__PURE__ */ createTokenTable([...' \t\r\n<>{}[]()"\'`,;=']);

/** Reads an object of a call; the window stands at it. */
function* readObject(answer: Answer, start: number): ReturnType<typeof readJsonCall> {
  return yield* readJsonCall(answer, start, argumentsKeys);
}

/** Reads what follows the marker, in any of the three layouts: an array, an object, or a name and its arguments. */
function* readCall(answer: Answer, start: number): Reading<void> {
  const { window } = answer;
  const resumeAt = window.position;
  answer.open(start);
  const opener = yield* skipSpace(window);
  if (opener === '[') return yield* readJsonArray(answer, start, readObject);
  const call = opener === '{' ? yield* readObject(answer, start) : yield* readCompact(answer, start, resumeAt);
  if (call) answer.call(call);
}

/** Reads `⟨name⟩⟨object⟩`, with `[CALL_ID]⟨id⟩` and `[ARGS]` between them or not. */
function* readCompact(answer: Answer, start: number, resumeAt: number): ReturnType<typeof readArgumentsObject> {
  const { window } = answer;
  const name = yield* readLabel(answer, nameEnds, resumeAt);
  if (name === undefined) return;
  if (!isCallName(name)) {
    answer.fail('bad-structure', 'a name', resumeAt);
    return;
  }
  let id: string | undefined;
  yield* skipSpace(window);
  let part = yield* peekToken(window, parts);
  if (part === idToken) {
    window.index += part.length;
    const label = yield* readLabel(answer, nameEnds, resumeAt);
    if (label === undefined) return;
    if (isMistralId(label)) id = label;
    yield* skipSpace(window);
    part = yield* peekToken(window, parts);
  }
  if (part === argumentsToken) window.index += part.length;
  return yield* readArgumentsObject(answer, { start, name, id, resumeAt });
}

/**
 * The format of the Mistral models, old and new: `[TOOL_CALLS]⟨name⟩{…}` for each call, or `[TOOL_CALLS] [{"name": "…",
 * "arguments": {…}}, …]` for all. Ids are nine letters and digits, as the models demand.
 */
export const mistral: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'mistral',
  startMarkers,
  read: /* @__PURE__ */ markedCalls({ startMarkers, readCall }),
  callEnd: /}/,
  separator: '',
  write: (calls) => calls.map((call) => `[TOOL_CALLS]${call.name}${call.arguments}`).join(''),
  shapeId: toMistralId,
});
