import { argumentsKeys } from '../json/json-call-body.ts';
import { createParser } from '../stream/create-parser.ts';
import { taggedJsonFormat } from '../tagged-json-format.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

/** The format of Qwen 2.5 and of Qwen 3 but for its coders: that of Hermes. */
export const qwen: ToolCallParser = /* @__PURE__ */ createParser(
  /* @__PURE__ */ taggedJsonFormat({
    name: 'qwen',
    aliases: ['qwen25', 'qwen2_5'],
    startTag: '<tool_call>',
    endTag: '</tool_call>',
    keys: argumentsKeys,
  }),
);
