import { readArgumentsObject } from '../json/json-arguments.ts';
import { typeJsonValue } from '../text-call/attribute-type.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import { createInvokeTags, readAnywhere } from './invoke-tags.ts';

/** The format of DeepSeek, named so, whose section is called `section`. */
function createDsml(name: string, alias: string, section: string): ToolCallParser {
  return createInvokeTags({
    name,
    aliases: [alias],
    section: [`<｜DSML｜${section}>`, `</｜DSML｜${section}>`],
    prefix: '｜DSML｜',
    between: '\n',
    read: readAnywhere,
    typing: {
      readObject: readArgumentsObject,
      schemaOf(declared, attributes) {
        const isString = attributes.get('string');
        return isString === 'true' || isString === 'false' ? { ...declared, isText: isString === 'true' } : undefined;
      },
      typeValue: typeJsonValue,
      write: (json) => ` string="${json.startsWith('"')}"`,
    },
  });
}

/** The format of DeepSeek V3.2. */
export const deepseekV32: ToolCallParser = /* @__PURE__ */ createDsml('deepseek_v32', 'deepseekv32', 'function_calls');

/** The format of DeepSeek V4: that of V3.2 with another section. */
export const deepseekV4: ToolCallParser = /* @__PURE__ */ createDsml('deepseek_v4', 'deepseekv4', 'tool_calls');
