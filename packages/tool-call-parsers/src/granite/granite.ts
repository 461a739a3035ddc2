import { bareCalls } from '../json/bare-calls.ts';
import { readJsonArray } from '../json/json-array.ts';
import { argumentsKeys, readJsonCall } from '../json/json-call-body.ts';
import { markedArrays } from '../json/marked-arrays.ts';
import { writeJsonArray, writeJsonCall } from '../json/write-json-call.ts';
import { createParser } from '../stream/create-parser.ts';
import { skipSpace } from '../text/reading.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const readMarked = /* @__PURE__ */ markedArrays({
  startMarkers: ['<|tool_call|>', '<tool_call>'],
  readElement: (answer, start) => readJsonCall(answer, start, argumentsKeys),
});

/**
 * The format of Granite 3: `<|tool_call|>[{"name": "…", "arguments": {…}}, …]`, also with `<tool_call>`. At the start of
 * the text the marker may be missing.
 */
export const granite: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'granite',
  startMarkers: [],
  *read(answer) {
    if ((yield* skipSpace(answer.window)) === '[') {
      yield* readJsonArray(answer, answer.window.position, bareCalls(answer), true);
    }
    yield* readMarked(answer);
  },
  callEnd: /}/,
  separator: '\n',
  write: (calls) => `<|tool_call|>${writeJsonArray(calls.map((call) => writeJsonCall(argumentsKeys, call)))}`,
});
