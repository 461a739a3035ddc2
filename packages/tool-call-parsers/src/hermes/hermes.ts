import { createParser } from '../stream/create-parser.ts';
import { type TaggedJsonGrammar, taggedJsonReaders, writeTaggedJson } from '../tagged-json.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const grammar: TaggedJsonGrammar = {
  startTag: '<tool_call>',
  endTag: '</tool_call>',
  keys: { name: 'name', arguments: 'arguments', synonym: 'parameters' },
};

/**
 * The format of the Hermes models, which many others took over:
 * `<tool_call>\n{"name": "…", "arguments": {…}}\n</tool_call>`, repeated for each call.
 */
export const hermes: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'hermes',
  startMarkers: [grammar.startTag],
  createReader: taggedJsonReaders(grammar),
  separator: '\n',
  write: (calls) => writeTaggedJson(grammar, calls),
});
