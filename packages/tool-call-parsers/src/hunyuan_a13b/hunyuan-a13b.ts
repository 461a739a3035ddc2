import type { ReadElement } from '../json/json-array.ts';
import { argumentsKeys, readJsonCall } from '../json/json-call-body.ts';
import { readMarkedArray } from '../json/marked-arrays.ts';
import { writeJsonArray, writeJsonCall } from '../json/write-json-call.ts';
import { createParser } from '../stream/create-parser.ts';
import { inertBetween } from '../stream/inert-calls.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const startMarkers = ['<tool_calls>'];
const readElement: ReadElement = (answer, start) => readJsonCall(answer, start, argumentsKeys);

/** The format of Hunyuan A13B: `<tool_calls>[{"name": "…", "arguments": {…}}, …]</tool_calls>`, but not in its thinking. */
export const hunyuanA13b: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'hunyuan_a13b',
  aliases: ['hunyuan'],
  startMarkers,
  read: /* @__PURE__ */ markedCalls(
    /* @__PURE__ */ inertBetween('<think>', '</think>', {
      startMarkers,
      closers: ['</tool_calls>'],
      readCall: (answer, start) => readMarkedArray(answer, start, readElement),
    }),
  ),
  callEnd: /}/,
  separator: '\n',
  write: (calls) =>
    `<tool_calls>${writeJsonArray(calls.map((call) => writeJsonCall(argumentsKeys, call)))}</tool_calls>`,
});
