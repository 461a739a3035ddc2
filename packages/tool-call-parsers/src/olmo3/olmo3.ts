import { readPythonCall } from '../python-calls/read-python-call.ts';
import { writePythonCall } from '../python-calls/write-python-call.ts';
import type { Answer } from '../stream/answer.ts';
import { createParser } from '../stream/create-parser.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { type Reading, skipSpace } from '../text/reading.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const startMarkers: readonly [string] = ['<function_calls>'];
const sectionEnd = '</function_calls>';

/** Reads the calls of a section. What is no call voids the rest of it, not what was before. */
function* readSection(answer: Answer, start: number): Reading<void> {
  const { window } = answer;
  let from = start;
  for (;;) {
    const call = yield* readPythonCall(answer, () => true, from);
    if (call === undefined) return;
    answer.call(call);
    let next = yield* skipSpace(window);
    if (next === ',' || next === ';') {
      window.index += 1;
      answer.skip(window.position);
      next = yield* skipSpace(window);
    }
    // The end of the section stays: it vanishes behind every call.
    if (next === '' || next === '<') return;
    from = window.position;
  }
}

/** The format of OLMo 3: calls of Python between two tags, each on a line. */
export const olmo3: ToolCallParser = /* @__PURE__ */ createParser({
  name: 'olmo3',
  startMarkers,
  read: /* @__PURE__ */ markedCalls({ startMarkers, closers: [sectionEnd], readCall: readSection }),
  callEnd: /\)/,
  separator: '\n',
  write: (calls) => [...startMarkers, ...calls.map(writePythonCall), sectionEnd].join('\n'),
});
