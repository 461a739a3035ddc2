import { argumentsKeys } from '../json/json-call-body.ts';
import { createParser } from '../stream/create-parser.ts';
import { taggedJsonFormat } from '../tagged-json-format.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

/** The format of Granite 4: that of Hermes. */
export const granite4: ToolCallParser = /* @__PURE__ */ createParser(
  /* @__PURE__ */ taggedJsonFormat({
    name: 'granite4',
    startTag: '<tool_call>',
    endTag: '</tool_call>',
    keys: argumentsKeys,
  }),
);
