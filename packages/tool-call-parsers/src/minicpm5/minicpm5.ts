import type { WrittenCall } from '../stream/call-format.ts';
import { createParser } from '../stream/create-parser.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { attributedCall } from '../text-call/attributed-call.ts';
import { jsonMembers, plainValue } from '../text-call/json-members.ts';
import type { ValueEnd } from '../text-call/read-value.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import { decodeEntities, encodeEntities } from './entities.ts';
import { readXmlValue, xmlEnd } from './read-xml-value.ts';

// With the space, since `<function>` is often mentioned.
const callStart = '<function ';
const callEnd = '</function>';
const parameterStart = '<param ';
const parameterEnd = '</param>';
const startMarkers: readonly string[] = [callStart];
const parts: TokenTable = /* @__PURE__ */ createTokenTable([parameterStart, callEnd]);
const ending: ValueEnd = /* @__PURE__ */ xmlEnd(parts, parameterEnd);

/** The format of MiniCPM 5, which is XML: `<function name="…"><param name="…">value</param></function>`. */
export const minicpm5: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'minicpm5',
  aliases: ['minicpm5xml'],
  startMarkers,
  read: /* @__PURE__ */ markedCalls({
    startMarkers,
    readCall: /* @__PURE__ */ attributedCall({
      tags: [parameterStart, parameterEnd, callEnd],
      tagEnd: /* @__PURE__ */ createTokenTable(['>']),
      parts,
      keys: ['name', 'name'],
      decode: decodeEntities,
      readArgument: (window, writer, schema) => readXmlValue(window, writer, schema, ending),
    }),
  }),
  callEnd: /^>|n>/,
  separator: '\n',
  write: (calls) => calls.map(writeCall).join('\n'),
});

function writeCall({ name, arguments: json }: WrittenCall): string {
  const parameters = jsonMembers(json).map(
    ([key, value]) => `${parameterStart}name="${encodeEntities(key)}">${writeText(plainValue(value))}${parameterEnd}`,
  );
  return `${callStart}name="${encodeEntities(name)}">${parameters.join('')}${callEnd}`;
}

/** Text that would be read as something else goes into CDATA, whose own end is spread over two of them. */
function writeText(text: string): string {
  return /[<&]|^\s|\s$/.test(text) ? `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>` : text;
}
