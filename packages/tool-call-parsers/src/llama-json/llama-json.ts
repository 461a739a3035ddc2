import { type JsonCallBody, parametersKeys } from '../json/json-call-body.ts';
import { readJsonCandidate } from '../json/json-call-candidate.ts';
import { writeJsonCall } from '../json/write-json-call.ts';
import { declaredNames } from '../schema/declared-names.ts';
import type { Answer } from '../stream/answer.ts';
import type { CallFormat, WrittenCall } from '../stream/call-format.ts';
import { createParser } from '../stream/create-parser.ts';
import { findToken } from '../stream/marked-calls.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const pythonTag = '<|python_tag|>';

/** What a call begins with, or what vanishes directly before one. */
const openers: TokenTable = /* @__PURE__ */ createTokenTable(['{', '[', pythonTag]);

/** The keys that an object may have and be a call. */
const callKey: RegExp = /^(?:name|arguments|parameters|type|id)$/;

/**
 * Reads calls anywhere in the text: objects that only their shape makes calls, unless the tag stands before them. Data
 * that the model writes looks much like them, so what is no call must be known as early as possible, to flow as text.
 */
function* read(answer: Answer): Reading<void> {
  const { window } = answer;
  const isDeclared = declaredNames(answer.options.tools);
  let isTagged = false;

  function shape({ key, name, value, isAtArguments }: JsonCallBody): boolean | undefined {
    const isUnknown = name !== undefined && !isTagged && !isDeclared(name);
    if (isUnknown || !callKey.test(key)) return false;
    return (name !== undefined && (value !== undefined || isAtArguments())) || undefined;
  }

  for (;;) {
    if (answer.isAfterCall) {
      const next = yield* skipSpace(window);
      if (next && ';,]'.includes(next)) {
        window.index += 1;
        answer.skip(window.position);
        continue;
      }
    }
    let token: string | undefined = yield* findToken(answer, openers);
    const start = window.position;
    isTagged = false;
    while (token && token !== '{') {
      isTagged = token === pythonTag;
      window.index += token.length;
      yield* skipSpace(window);
      token = yield* peekToken(window, openers);
    }
    if (token) {
      const call = yield* readJsonCandidate(answer, start, parametersKeys, shape, isTagged);
      if (call) answer.call(call);
    } else {
      if (isTagged) {
        answer.open(start);
        answer.fail(token === '' ? 'truncated' : 'bad-structure', '{', window.position);
      }
      if (token === '') return;
    }
  }
}

function writeCalls(calls: readonly WrittenCall[]): string {
  return calls.map((call) => writeJsonCall(parametersKeys, call)).join('; ');
}

const llamaJson = { startMarkers: [], read, callEnd: /}/, separator: '\n' } satisfies Partial<CallFormat>;

/** The format of Llama 3: bare objects, `{"name": "…", "parameters": {…}}`, anywhere in the text. */
export const llama3Json: ToolCallParser = /* @__PURE__ */ createParser({
  ...llamaJson,
  name: 'llama3_json',
  aliases: ['llama3'],
  write: writeCalls,
});

/** The format of Llama 4: as that of Llama 3, with `<|python_tag|>` before the first call. */
export const llama4Json: ToolCallParser = /* @__PURE__ */ createParser({
  ...llamaJson,
  name: 'llama4_json',
  write: (calls) => pythonTag + writeCalls(calls),
});
