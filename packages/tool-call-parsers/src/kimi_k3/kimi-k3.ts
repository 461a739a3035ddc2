import { createValueSchema } from '../schema/value-schema.ts';
import type { Answer } from '../stream/answer.ts';
import type { WrittenCall } from '../stream/call-format.ts';
import { createParser } from '../stream/create-parser.ts';
import { findToken } from '../stream/marked-calls.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { typeJsonValue } from '../text-call/attribute-type.ts';
import { attributedCall } from '../text-call/attributed-call.ts';
import { jsonMembers, plainValue } from '../text-call/json-members.ts';
import { endsBefore, readValue, type ValueEnd } from '../text-call/read-value.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const open = '<|open|>';
const close = '<|close|>';
const separator = '<|sep|>';
const callStart = `${open}call`;
const callEnd = `${close}call${separator}`;
const argumentStart = `${open}argument`;
const argumentEnd = `${close}argument${separator}`;
const sectionStart = `${open}tools${separator}`;
const sectionEnd = `${close}tools${separator}`;
const responseStart = `${open}response${separator}`;
const responseEnd = `${close}response${separator}`;
const startMarkers: readonly string[] = [callStart];

const tokens: TokenTable = /* @__PURE__ */ createTokenTable([
  callStart,
  sectionStart,
  sectionEnd,
  responseStart,
  responseEnd,
  `${close}message${separator}`,
]);
const parts: TokenTable = /* @__PURE__ */ createTokenTable([argumentStart, callEnd]);
const ending: ValueEnd = /* @__PURE__ */ endsBefore(parts, argumentEnd);
const typedEnding: ValueEnd = { ...ending, typeValue: typeJsonValue };

const readCall = /* @__PURE__ */ attributedCall({
  tags: [argumentStart, argumentEnd, callEnd],
  tagEnd: /* @__PURE__ */ createTokenTable([separator]),
  parts,
  keys: ['tool', 'key'],
  decode: (raw) => raw.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  /** What the text says of the type counts, not what is declared. */
  readArgument(window, writer, declared, attributes) {
    const type = attributes.get('type');
    return type === undefined
      ? readValue(window, writer, declared, ending)
      : readValue(window, writer, createValueSchema({ type }), typedEnding);
  },
});

/** Reads calls. The section vanishes beside them, what stands around a response and behind a message everywhere. */
function* read(answer: Answer): Reading<void> {
  const { window } = answer;
  for (;;) {
    let token: string | undefined = yield* findToken(answer, tokens);
    const start = window.position;
    for (; token === sectionStart; token = yield* peekToken(window, tokens)) {
      window.index += token.length;
      yield* skipSpace(window);
    }
    if (token === callStart) {
      window.index += token.length;
      yield* readCall(answer, start);
    } else if (token && start === window.position) {
      window.index += token.length;
      if (token !== sectionEnd || answer.isAfterCall) answer.skip(window.position);
    } else if (token === '') return;
  }
}

/** The format of Kimi K3, all of whose markup is special tokens. */
export const kimiK3: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'kimi_k3',
  startMarkers,
  read,
  callEnd: />/,
  separator: '',
  write: (calls) => sectionStart + calls.map(writeCall).join('') + sectionEnd,
  writeContent: (content) => responseStart + content + responseEnd,
});

function writeCall({ name, arguments: json }: WrittenCall, index: number): string {
  const written = jsonMembers(json).map(([key, value]) => {
    return `${argumentStart}${attribute('key', key)}${attribute('type', typeOf(value))}${separator}${plainValue(value)}${argumentEnd}`;
  });
  return `${callStart}${attribute('tool', name)}${attribute('index', `${index + 1}`)}${separator}${written.join('')}${callEnd}`;
}

function attribute(key: string, value: string): string {
  return ` ${key}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
}

/** What JSON text is. */
function typeOf(json: string): string {
  if (json === 'null') return json;
  return json.startsWith('[') ? 'array' : typeof JSON.parse(json);
}
