import { readJsonArray } from '../json/json-array.ts';
import { type JsonCallKeys, readJsonCall } from '../json/json-call-body.ts';
import { writeJsonArray } from '../json/write-json-call.ts';
import type { Answer } from '../stream/answer.ts';
import { createParser } from '../stream/create-parser.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { type Reading, skipSpace } from '../text/reading.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const startMarker = '<|START_ACTION|>';
const endMarker = '<|END_ACTION|>';
const startMarkers = [startMarker];
const keys: JsonCallKeys = { name: 'tool_name', arguments: 'parameters', synonym: 'arguments' };

/** Reads an array of calls, or one that stands alone. The model's ids count within one message only, so none is kept. */
function* readCall(answer: Answer, start: number): Reading<void> {
  if ((yield* skipSpace(answer.window)) === '[') {
    return yield* readJsonArray(answer, start, (_answer, from) => readJsonCall(answer, from, keys));
  }
  const call = yield* readJsonCall(answer, start, keys);
  if (call) answer.call(call);
}

/** The format of Cohere's Command models: `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "…", "parameters": {…}}, …]<|END_ACTION|>`. */
export const cohereCommand4: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'cohere_command4',
  startMarkers,
  read: /* @__PURE__ */ markedCalls({ startMarkers, closers: [endMarker], readCall }),
  callEnd: /}/,
  separator: '\n',
  write(calls) {
    const objects = calls.map(
      (call, index) =>
        `{"tool_call_id": "${index}", "tool_name": ${JSON.stringify(call.name)}, "parameters": ${call.arguments}}`,
    );
    return startMarker + writeJsonArray(objects, true) + endMarker;
  },
});
