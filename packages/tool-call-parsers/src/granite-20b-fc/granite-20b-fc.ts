import { argumentsKeys, readJsonCall } from '../json/json-call-body.ts';
import { writeJsonCall } from '../json/write-json-call.ts';
import { createParser } from '../stream/create-parser.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const startMarkers = ['<function_call>'];

/** The format of Granite 20B Function Calling: `<function_call> {"name": "…", "arguments": {…}}`, without an end. */
export const granite20bFc: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'granite-20b-fc',
  startMarkers,
  read: /* @__PURE__ */ markedCalls({
    startMarkers,
    *readCall(answer, start) {
      const call = yield* readJsonCall(answer, start, argumentsKeys);
      if (call) answer.call(call);
    },
  }),
  callEnd: /}/,
  separator: '\n',
  write: (calls) => calls.map((call) => `<function_call> ${writeJsonCall(argumentsKeys, call)}`).join('\n'),
});
