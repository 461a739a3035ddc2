import { argumentsKeys } from '../json/json-call-body.ts';
import type { Answer } from '../stream/answer.ts';
import { createParser } from '../stream/create-parser.ts';
import { findToken } from '../stream/marked-calls.ts';
import { type TaggedJsonGrammar, taggedJsonCall, writeTaggedJson } from '../tagged-json.ts';
import { peekToken, type Reading } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const grammar: TaggedJsonGrammar = { startTag: '<tool_call>', endTag: '</tool_call>', keys: argumentsKeys };
const startMarkers: readonly string[] = [grammar.startTag];
/** What may stand within the tags of an answer. */
const lineEnds = ['\n', '\r\n'];
const responseStart = '<response>';
const responseEnd = '</response>';

const tokens: TokenTable = /* @__PURE__ */ createTokenTable([
  ...startMarkers,
  responseStart,
  ...lineEnds.map((lineEnd) => lineEnd + responseEnd),
  responseEnd,
]);
const lineEnd: TokenTable = /* @__PURE__ */ createTokenTable(lineEnds);
const readCall = /* @__PURE__ */ taggedJsonCall(grammar);

/** Reads calls as Hermes writes them. The tags around a plain answer, each with the line end inside, are no content. */
function* read(answer: Answer): Reading<void> {
  const { window } = answer;
  for (;;) {
    const token = yield* findToken(answer, tokens);
    if (token === '') return;
    const start = window.position;
    window.index += token.length;
    if (token === grammar.startTag) yield* readCall(answer, start);
    else {
      const inner = token === responseStart ? yield* peekToken(window, lineEnd) : undefined;
      window.index += inner?.length ?? 0;
      answer.skip(window.position);
    }
  }
}

/** The format of ERNIE 4.5: the calls of Hermes, and tags around an answer without calls. */
export const ernie45: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'ernie45',
  startMarkers,
  read,
  callEnd: />/,
  separator: '\n',
  write: (calls) => writeTaggedJson(grammar, calls),
  writeContent: (content, hasCalls) => (hasCalls ? content : `${responseStart}\n${content}\n${responseEnd}`),
});
