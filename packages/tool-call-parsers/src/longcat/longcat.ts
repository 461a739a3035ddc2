import { argumentsKeys } from '../json/json-call-body.ts';
import { createParser } from '../stream/create-parser.ts';
import { taggedJsonFormat } from '../tagged-json-format.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

/** The format of the LongCat models: that of Hermes with tags of its own. */
export const longcat: ToolCallParser = /* @__PURE__ */ createParser(
  /* @__PURE__ */ taggedJsonFormat({
    name: 'longcat',
    startTag: '<longcat_tool_call>',
    endTag: '</longcat_tool_call>',
    keys: argumentsKeys,
  }),
);
