import { parametersKeys } from '../json/json-call-body.ts';
import { writeJsonCall } from '../json/write-json-call.ts';
import { createParser } from '../stream/create-parser.ts';
import { taggedJsonFormat } from '../tagged-json-format.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const startTag = '<|action_start|><|plugin|>';
const endTag = '<|action_end|>';

/**
 * The format of InternLM 2 and 3 and of Intern-S1: `<|action_start|><|plugin|>\n{"name": "…", "parameters":
 * {…}}<|action_end|>`. Code for its interpreter, which `<|action_start|><|interpreter|>` begins, is text.
 */
export const internlm: ToolCallParser = /* @__PURE__ */ createParser({
  .../* @__PURE__ */ taggedJsonFormat({
    name: 'internlm',
    aliases: ['interns1'],
    startTag,
    endTag,
    keys: parametersKeys,
  }),
  write: (calls) => calls.map((call) => `${startTag}\n${writeJsonCall(parametersKeys, call)}${endTag}`).join('\n'),
});
