import { readJsonArray } from '../json/json-array.ts';
import { argumentsKeys, readJsonCall } from '../json/json-call-body.ts';
import { writeJsonArray, writeJsonCall } from '../json/write-json-call.ts';
import { createParser } from '../stream/create-parser.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { skipSpace } from '../text/reading.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const startMarkers = ['functools'];

/** The format of Phi-4 mini: `functools[{"name": "…", "arguments": {…}}, …]`. */
export const phi4MiniJson: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'phi4_mini_json',
  startMarkers,
  read: /* @__PURE__ */ markedCalls({
    startMarkers,
    *readCall(answer, start) {
      // Without a bracket it is the name of a Python module, and no fault.
      if ((yield* skipSpace(answer.window)) !== '[') return;
      yield* readJsonArray(answer, start, (_answer, from) => readJsonCall(answer, from, argumentsKeys));
    },
  }),
  callEnd: /}/,
  separator: '\n',
  write: (calls) => `functools${writeJsonArray(calls.map((call) => writeJsonCall(argumentsKeys, call)))}`,
});
