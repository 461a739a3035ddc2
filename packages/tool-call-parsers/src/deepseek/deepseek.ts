import { readArgumentsObject } from '../json/json-arguments.ts';
import type { Answer } from '../stream/answer.ts';
import type { CallFormat, WrittenCall } from '../stream/call-format.ts';
import { createParser } from '../stream/create-parser.ts';
import { endCall } from '../stream/end-call.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { openedBy } from '../stream/opened-by.ts';
import { readLabel } from '../stream/read-label.ts';
import { isCallName } from '../text/call-name.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

/** The tokens' special characters are U+FF5C and U+2581. */
function token(words: string): string {
  return `<｜tool▁${words.replace(' ', '▁')}｜>`;
}

const sectionBegin: string = /* @__PURE__ */ token('calls begin');
const sectionEnd: string = /* @__PURE__ */ token('calls end');
const callBegin: string = /* @__PURE__ */ token('call begin');
const callEnd: string = /* @__PURE__ */ token('call end');
const separator: string = /* @__PURE__ */ token('sep');
const fence = '```';
const jsonFence = '```json';

const callEnds: readonly string[] = [callEnd, callBegin, sectionEnd];
const followers: TokenTable = /* @__PURE__ */ createTokenTable(callEnds);
const followersInFence: TokenTable = /* @__PURE__ */ createTokenTable([...callEnds, fence]);
const fences: TokenTable = /* @__PURE__ */ createTokenTable([jsonFence, fence]);
const labelEnds: TokenTable = /* @__PURE__ */ createTokenTable([...callEnds, sectionBegin, separator]);
/** None of these can be part of a name. */
const nameEnds: TokenTable = /* @__PURE__ */ createTokenTable(['\n', '{', '`', '<']);

/**
 * Reads a call in either layout. What follows the separator tells them apart: the arguments or the end of the call
 * (V3.1: the name stood before the separator), or else the name (V3: the type stood there, and a code fence may follow).
 */
function* readCall(answer: Answer, start: number): Reading<void> {
  const { window } = answer;
  const resumeAt = window.position;
  answer.open(start);
  let name = yield* readLabel(answer, labelEnds, resumeAt, separator);
  if (name === undefined) return;
  window.index += separator.length;
  let ends = followers;
  if ((yield* skipSpace(window)) !== '{' && (yield* peekToken(window, followers)) !== callEnd) {
    name = yield* readLabel(answer, nameEnds, resumeAt);
    if (name === undefined) return;
    yield* skipSpace(window);
    if (yield* skipToken(answer, fences)) ends = followersInFence;
  }
  if (!isCallName(name)) return answer.fail('bad-name', `"${name}" is no name`, resumeAt);
  const call = yield* readArgumentsObject(answer, { start, name, resumeAt }, ends);
  if (call === undefined) return;
  if (ends === followersInFence) {
    yield* skipSpace(window);
    yield* skipToken(answer, fences);
  }
  yield* endCall(answer, call, callEnd, followers);
}

/** Skips a token, also one that the end of the text cut. Whether there was one. */
function* skipToken({ window }: Answer, table: TokenTable): Reading<boolean> {
  const token = yield* peekToken(window, table);
  if (token !== undefined) window.index = token ? window.index + token.length : window.source.length;
  return Boolean(token);
}

const deepseek = {
  startMarkers: [callBegin],
  read: /* @__PURE__ */ markedCalls(
    /* @__PURE__ */ openedBy([sectionBegin], { startMarkers: [callBegin], closers: [sectionEnd], readCall }),
  ),
  callEnd: />/,
  separator: '',
} satisfies Partial<CallFormat>;

/**
 * The format of DeepSeek V3 and R1: a section of calls, each with its arguments in a code fence. The layout of V3.1 is
 * read too.
 */
export const deepseekV3: ToolCallParser = /* @__PURE__ */ createParser({
  ...deepseek,
  name: 'deepseek_v3',
  aliases: ['deepseekv3'],
  write: (calls) =>
    writeSection(calls, '\n', (call) => `function${separator}${call.name}\n${jsonFence}\n${call.arguments}\n${fence}`),
});

/** The format of DeepSeek V3.1: a section of calls, the arguments right behind the name. The layout of V3 is read too. */
export const deepseekV31: ToolCallParser = /* @__PURE__ */ createParser({
  ...deepseek,
  name: 'deepseek_v3_1',
  aliases: ['deepseek_v31', 'deepseekv31'],
  write: (calls) => writeSection(calls, '', (call) => call.name + separator + call.arguments),
});

function writeSection(
  calls: readonly WrittenCall[],
  between: string,
  writeBody: (call: WrittenCall) => string,
): string {
  return sectionBegin + calls.map((call) => callBegin + writeBody(call) + callEnd).join(between) + sectionEnd;
}
