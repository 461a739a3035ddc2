import { argumentsKeys } from '../json/json-call-body.ts';
import { createParser } from '../stream/create-parser.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { type TaggedJsonGrammar, taggedJsonCall, writeTaggedJson } from '../tagged-json.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const grammar: TaggedJsonGrammar = { startTag: '<tool_call>', endTag: '</tool_call>', keys: argumentsKeys };
const startMarkers = [grammar.startTag];

/**
 * The format of the Hermes models, which many others took over:
 * `<tool_call>\n{"name": "…", "arguments": {…}}\n</tool_call>`, repeated for each call.
 */
export const hermes: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'hermes',
  startMarkers,
  read: /* @__PURE__ */ markedCalls({ startMarkers, readCall: /* @__PURE__ */ taggedJsonCall(grammar) }),
  callEnd: />/,
  separator: '\n',
  write: (calls) => writeTaggedJson(grammar, calls),
});
