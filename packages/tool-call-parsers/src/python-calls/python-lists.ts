import { declaredNames } from '../schema/declared-names.ts';
import type { Answer, CompletedCall } from '../stream/answer.ts';
import { createParser } from '../stream/create-parser.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { type Reading, skipSpace } from '../text/reading.ts';
import { failHere } from '../text-call/fail-here.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import { beginsPythonCall, readPythonCall } from './read-python-call.ts';
import { writePythonCall } from './write-python-call.ts';

const lineFeed = '\n';

/** What the members of the family differ in. */
interface PythonLists {
  readonly name: string;
  /** What stands around a list. */
  readonly frame?: readonly [open: string, close: string] | undefined;
  /** Whether a list at the start of a line needs no frame. Then only its shape says that it is one of calls. */
  readonly isBare?: boolean | undefined;
}

/** The format whose calls are a list of Python: `[name(key=literal), other()]`. */
function createPythonLists({ name, frame: [open, close] = ['', ''], isBare }: PythonLists): ToolCallParser {
  const frameStart = [open].filter(Boolean);
  const startMarkers = isBare ? [lineFeed, ...frameStart] : frameStart;
  const closers = [close].filter(Boolean);

  function* read(answer: Answer): Reading<void> {
    const isDeclared = declaredNames(answer.options.tools);
    function* readCall(_answer: Answer, start: number, marker: string): Reading<void> {
      if (marker === lineFeed) yield* readBareList(answer, isDeclared);
      else yield* readFramedList(answer, start);
    }
    if (isBare) yield* readBareList(answer, isDeclared);
    yield* markedCalls({ startMarkers, closers, readCall })(answer);
  }

  return createParser({
    name,
    // Without a frame, a call begins like any other text.
    startMarkers: isBare ? [] : startMarkers,
    read,
    callEnd: /\]/,
    separator: '\n',
    write: (calls) => `${open}[${calls.map(writePythonCall).join(', ')}]${close}`,
  });
}

/** Reads a list that a frame announces, from behind its start on. */
function* readFramedList(answer: Answer, start: number): Reading<void> {
  const next = yield* skipSpace(answer.window);
  if (next === '[') return yield* readList(answer, start, () => true);
  answer.open(start);
  failHere(answer, next, '[');
}

/** Reads a list, behind white space at the start of a line, if the name of its first call is declared. */
function* readBareList(answer: Answer, isDeclared: (name: string) => boolean): Reading<void> {
  const { window } = answer;
  if ((yield* skipSpace(window)) !== '[') return;
  const start = window.position;
  window.index += 1;
  yield* skipSpace(window);
  const isList = yield* beginsPythonCall(window, isDeclared);
  window.rewind(isList ? start : start + 1);
  if (isList) yield* readList(answer, start, isDeclared);
}

/**
 * Reads a list of calls from its bracket on, where the window stands. Calls count once the list is complete, since a bad
 * one voids it. So eager mode shows the first of them only.
 */
function* readList(answer: Answer, start: number, isDeclared: (name: string) => boolean): Reading<void> {
  const { window } = answer;
  const calls: CompletedCall[] = [];
  let next: string;
  do {
    window.index += 1;
    next = yield* skipSpace(window);
    // As in Python, a comma may stand behind the last call.
    if (next !== ']' || calls.length === 0) {
      const call = yield* readPythonCall(answer, isDeclared, calls.length === 0 ? start : undefined);
      if (call === undefined) return;
      calls.push(call);
      next = yield* skipSpace(window);
    }
  } while (next === ',');
  if (next !== ']') return failHere(answer, next, ', or ]');
  window.index += 1;
  for (const call of calls) answer.call(call);
}

/** The format of Llama 3.2, ToolACE and others. */
export const pythonic: ToolCallParser = /* @__PURE__ */ createPythonLists({ name: 'pythonic', isBare: true });

/** The format of Llama 4: that of Llama 3.2, or the same in a frame. */
export const llama4Pythonic: ToolCallParser = /* @__PURE__ */ createPythonLists({
  name: 'llama4_pythonic',
  frame: ['<|python_start|>', '<|python_end|>'],
  isBare: true,
});

/** The format of LFM2. */
export const lfm2: ToolCallParser = /* @__PURE__ */ createPythonLists({
  name: 'lfm2',
  frame: ['<|tool_call_start|>', '<|tool_call_end|>'],
});
