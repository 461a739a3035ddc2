import { readArgumentsObject } from '../json/json-arguments.ts';
import { skipJson } from '../json/json-array.ts';
import { createJsonScanner } from '../json/json-scanner.ts';
import { decodeJsonString } from '../json/json-text.ts';
import { markedArrays } from '../json/marked-arrays.ts';
import { scanJson } from '../json/scan-json.ts';
import { writeJsonArray } from '../json/write-json-call.ts';
import type { Answer, CompletedCall } from '../stream/answer.ts';
import { createParser } from '../stream/create-parser.ts';
import { type Reading, skipSpace } from '../text/reading.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const startMarkers = ['<|tools_prefix|>'];
const endMarker = '<|tools_suffix|>';

/** Reads an element. One that is no call is read again, as text. */
function* readElement(answer: Answer, start: number): Reading<CompletedCall | false | undefined> {
  const { window } = answer;
  const resumeAt = window.position;
  const call = yield* readPair(answer, start, resumeAt);
  if (call) return call;
  const skipped = yield* skipJson(window);
  if (skipped === false) window.rewind(resumeAt);
  else answer.text(window.position);
  return skipped;
}

/** Reads `{"⟨name⟩": ⟨arguments⟩}`. Where it is something else, that is told, and reading goes on at `resumeAt`. */
function* readPair(answer: Answer, start: number, resumeAt: number): Reading<CompletedCall | undefined> {
  const { window } = answer;
  answer.open(start);
  window.index += 1;
  const name = yield* readName(answer, resumeAt);
  if (name === undefined) return undefined;
  if ((yield* skipSpace(window)) !== ':') return refuse(answer, 'a colon', resumeAt);
  window.index += 1;
  const call = yield* readArgumentsObject(answer, { start, name, resumeAt });
  if (call === undefined) return undefined;
  if ((yield* skipSpace(window)) !== '}') return refuse(answer, 'one key only, and }', resumeAt);
  window.index += 1;
  return call;
}

/** Reads the key that names the tool. */
function* readName(answer: Answer, resumeAt: number): Reading<string | undefined> {
  const { window } = answer;
  if ((yield* skipSpace(window)) !== '"') return refuse(answer, 'a name', resumeAt);
  const from = window.position;
  const scanner = createJsonScanner();
  if ((yield* scanJson(window, scanner.scan)) !== 'end')
    return refuse(answer, scanner.expectation, resumeAt, 'bad-json');
  const name = trimWhiteSpace(decodeJsonString(window.slice(from, window.position)));
  if (name) return name;
  answer.fail('bad-name', 'the name is blank', resumeAt);
  return undefined;
}

/** Tells what was expected where the window stands. */
function refuse(
  answer: Answer,
  expectation: string,
  resumeAt: number,
  kind: 'bad-structure' | 'bad-json' = 'bad-structure',
): undefined {
  const { window } = answer;
  answer.fail(window.position < window.end ? kind : 'truncated', expectation, resumeAt);
  return undefined;
}

/** The format of Apertus: `<|tools_prefix|>[{"⟨name⟩": ⟨arguments⟩}, …]<|tools_suffix|>`. */
export const apertus: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'apertus',
  aliases: ['apertus2509'],
  startMarkers,
  read: /* @__PURE__ */ markedArrays({ startMarkers, closers: [endMarker], readElement }),
  callEnd: /}/,
  separator: '\n',
  write(calls) {
    const objects = calls.map((call) => `{${JSON.stringify(call.name)}: ${call.arguments}}`);
    return `${startMarkers}${writeJsonArray(objects)}${endMarker}`;
  },
});
