import { toolIndexOf } from '../schema/tool-index.ts';
import type { Answer } from '../stream/answer.ts';
import { createParser } from '../stream/create-parser.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { failHere } from '../text-call/fail-here.ts';
import { jsonMembers, plainValue } from '../text-call/json-members.ts';
import { readToolTag } from '../text-call/read-tool-tag.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import { marker, skipMarker } from './marker.ts';
import { readParameters } from './read-parameters.ts';
import { writeElements } from './write-elements.ts';

const callStart = '<invoke';
const sectionStart = '<tool_call>';
const sectionEnd = '</tool_call>';
const startMarkers: readonly string[] = [marker];
const heads: TokenTable = /* @__PURE__ */ createTokenTable([callStart, sectionStart, sectionEnd]);
const tagEnd: TokenTable = /* @__PURE__ */ createTokenTable(['>']);

/** Reads a call behind a marker. The tags around all calls vanish beside one; where none begins, the marker is text. */
function* readCall(answer: Answer, start: number): Reading<void> {
  const { window, options } = answer;
  yield* skipSpace(window);
  let head = yield* peekToken(window, heads);
  if (!head) return;
  if (head === sectionEnd) {
    window.index += head.length;
    if (answer.isAfterCall) answer.skip(window.position);
    return;
  }
  answer.open(start);
  while (head === sectionStart) {
    window.index += head.length;
    head = (yield* skipMarker(window)) && (yield* peekToken(window, heads));
  }
  if (head !== callStart) return failHere(answer, head, marker + callStart);
  window.index += head.length;
  const name = yield* readToolTag(answer, tagEnd, 'name');
  if (name !== undefined) yield* readParameters(answer, start, name, toolIndexOf(options.tools));
}

/** The format of MiniMax-M3: each tag stands behind a marker, and values are nested elements. */
export const minimaxM3: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'minimax_m3',
  aliases: ['minimax-m3'],
  startMarkers,
  read: /* @__PURE__ */ markedCalls({ startMarkers, readCall }),
  callEnd: /^>|[e\s]>/,
  separator: '\n',
  write(calls, tools) {
    const index = toolIndexOf(tools);
    const written = calls.map(({ name, arguments: json }) => {
      const parameters = jsonMembers(json).map(
        ([key, value]) =>
          `${marker}<${key}>${writeElements(value, index.parameter(name, key)) ?? plainValue(value)}${marker}</${key}>`,
      );
      return `${marker}${callStart} name="${name}">${parameters.join('')}${marker}</invoke>\n`;
    });
    return `${marker}${sectionStart}\n${written.join('')}${marker}${sectionEnd}`;
  },
});
