import { argumentsKeys, readJsonCall } from '../json/json-call-body.ts';
import { markedArrays } from '../json/marked-arrays.ts';
import { writeJsonArray, writeJsonCall } from '../json/write-json-call.ts';
import { createParser } from '../stream/create-parser.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const startMarkers = ['<tool_calls>'];

/** The format of Jamba: `<tool_calls>[{"name": "…", "arguments": {…}}, …]</tool_calls>`, one call per line. */
export const jamba: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'jamba',
  startMarkers,
  read: /* @__PURE__ */ markedArrays({
    startMarkers,
    closers: ['</tool_calls>'],
    readElement: (answer, start) => readJsonCall(answer, start, argumentsKeys),
  }),
  callEnd: /}/,
  separator: '\n',
  write: (calls) =>
    `<tool_calls>${writeJsonArray(
      calls.map((call) => writeJsonCall(argumentsKeys, call)),
      true,
    )}</tool_calls>`,
});
