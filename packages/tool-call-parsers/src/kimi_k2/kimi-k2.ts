import { readArgumentsObject } from '../json/json-arguments.ts';
import type { Answer } from '../stream/answer.ts';
import type { WrittenCall } from '../stream/call-format.ts';
import { createParser } from '../stream/create-parser.ts';
import { endCall } from '../stream/end-call.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { openedBy } from '../stream/opened-by.ts';
import { readLabel } from '../stream/read-label.ts';
import { isCallName } from '../text/call-name.ts';
import type { Reading } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

function token(end: string): string {
  return `<|tool_call${end}|>`;
}

const callBegin: string = /* @__PURE__ */ token('_begin');
const callEnd: string = /* @__PURE__ */ token('_end');
const argumentsBegin: string = /* @__PURE__ */ token('_argument_begin');
const openers: readonly string[] = [/* @__PURE__ */ token('s_section_begin'), /* @__PURE__ */ token('_section_begin')];
const closers: readonly string[] = [/* @__PURE__ */ token('s_section_end'), /* @__PURE__ */ token('_section_end')];
const startMarkers: readonly string[] = [callBegin];
const callEnds: readonly string[] = [callEnd, callBegin, ...closers];

const followers: TokenTable = /* @__PURE__ */ createTokenTable(callEnds);
const idEnds: TokenTable = /* @__PURE__ */ createTokenTable([...callEnds, ...openers, argumentsBegin]);

/** What an id says: the name, and the number of the call if it has one. */
const idParts: RegExp = /^(?:functions\.)?(.*?)(:\d+)?$/s;

/** Reads one answer. It remembers the ids of its calls, since each counts once. */
function read(answer: Answer): Reading<void> {
  const { window, options } = answer;
  const usedIds = new Set<string>();
  const { startIndex } = options;
  const first = Number.isSafeInteger(startIndex) ? Number(startIndex) : 0;

  function* readCall(_answer: Answer, start: number): Reading<void> {
    const resumeAt = window.position;
    answer.open(start);
    const given = yield* readLabel(answer, idEnds, resumeAt, argumentsBegin);
    if (given === undefined) return;
    const [, name = '', number] = idParts.exec(given) ?? [];
    if (!isCallName(name)) return answer.fail('bad-name', `"${given}" names no tool`, resumeAt);
    window.index += argumentsBegin.length;
    let id = number && given;
    // Ever longer steps, since a text may have used any number of ids that follow each other.
    for (let step = 0; !id || usedIds.has(id); step = step * 2 + 1) {
      id = `functions.${name}:${first + usedIds.size + step}`;
    }
    const call = yield* readArgumentsObject(answer, { start, name, id, resumeAt }, followers);
    if (call === undefined) return;
    yield* endCall(answer, call, callEnd, followers);
    if (answer.isAfterCall) usedIds.add(id);
  }

  return markedCalls(openedBy(openers, { startMarkers, closers, readCall }))(answer);
}

/** A call's own id where it is one of this family for that name; these models know no others. */
function writeCall({ name, arguments: json, id = '' }: WrittenCall, index: number): string {
  const [, named, number] = idParts.exec(id) ?? [];
  const written = number && named === name ? id : `functions.${name}:${index}`;
  return callBegin + written + argumentsBegin + json + callEnd;
}

/**
 * The format of Kimi K2: a section of calls, each with its id, such as `functions.get_weather:0`, and its arguments.
 * The model's ids are kept; a missing or repeated one is made from the name and the number of the call.
 */
export const kimiK2: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'kimi_k2',
  startMarkers,
  read,
  callEnd: />/,
  separator: '',
  write: (calls) => openers[0] + calls.map(writeCall).join('') + closers[0],
});
