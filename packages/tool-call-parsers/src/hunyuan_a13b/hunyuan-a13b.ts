import { argumentsKeys, readJsonCall } from '../json/json-call-body.ts';
import { markedArrays } from '../json/marked-arrays.ts';
import { writeJsonArray, writeJsonCall } from '../json/write-json-call.ts';
import { createParser } from '../stream/create-parser.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const startMarkers = ['<tool_calls>'];

/** The format of Hunyuan A13B: `<tool_calls>[{"name": "…", "arguments": {…}}, …]</tool_calls>`, but not in its thinking. */
export const hunyuanA13b: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'hunyuan_a13b',
  aliases: ['hunyuan'],
  startMarkers,
  read: /* @__PURE__ */ markedArrays({
    startMarkers,
    closers: ['</tool_calls>'],
    inert: ['<think>', '</think>'],
    readElement: (answer, start) => readJsonCall(answer, start, argumentsKeys),
  }),
  callEnd: /}/,
  separator: '\n',
  write: (calls) =>
    `<tool_calls>${writeJsonArray(calls.map((call) => writeJsonCall(argumentsKeys, call)))}</tool_calls>`,
});
