import { toolIndexOf } from '../schema/tool-index.ts';
import type { Answer } from '../stream/answer.ts';
import { maximumCallLength } from '../stream/call-limits.ts';
import { createParser } from '../stream/create-parser.ts';
import { endCall } from '../stream/end-call.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { createArgumentsWriter } from '../text-call/arguments-writer.ts';
import { failHere } from '../text-call/fail-here.ts';
import { readName } from '../text-call/read-name.ts';
import { readWithin } from '../text-call/read-within.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import { createObjectReading } from './read-gemma-object.ts';
import { writeGemmaObject } from './write-gemma-object.ts';

const lead = 'call:';
const leads: TokenTable = /* @__PURE__ */ createTokenTable([lead]);

/** The format of the Gemma models, `call:name{key:value,…}` between two tags, with a delimiter in place of quotes. */
function createGemma(name: string, delimiter: string, tags: readonly [start: string, end: string]): ToolCallParser {
  const [startTag, endTag] = tags;
  const followers = createTokenTable(tags);
  const readObject = createObjectReading(delimiter, tags);

  function* readCall(answer: Answer, start: number): Reading<void> {
    const { window, options } = answer;
    const writer = createArgumentsWriter();
    answer.open(start, writer);
    yield* skipSpace(window);
    const token = yield* peekToken(window, leads);
    if (!token) return failHere(answer, token, lead);
    window.index += lead.length;
    const called = yield* readName(answer);
    if (called === undefined) return;
    const brace = yield* skipSpace(window);
    if (brace !== '{') return failHere(answer, brace, '{');
    window.index += 1;
    writer.name = called;
    const tools = toolIndexOf(options.tools);
    const reading = readObject(window, writer, (key) => tools.parameter(called, key));
    // What is kept begins where the call begins.
    const fault = yield* readWithin(window, window.keptFrom + maximumCallLength, reading);
    if (fault) return answer.fail(fault.kind, fault.reason, window.position);
    yield* endCall(answer, writer.finish(), endTag, followers);
  }

  const startMarkers = [startTag];
  return createParser({
    name,
    startMarkers,
    read: markedCalls({ startMarkers, readCall }),
    callEnd: />/,
    separator: '\n',
    write: (calls) =>
      calls
        .map((call) => `${startTag}${lead}${call.name}${writeGemmaObject(call.arguments, delimiter)}${endTag}`)
        .join(''),
  });
}

/** The format of Gemma 4. */
export const gemma4: ToolCallParser = /* @__PURE__ */ createGemma('gemma4', '<|"|>', ['<|tool_call>', '<tool_call|>']);

/** The format of FunctionGemma. */
export const functiongemma: ToolCallParser = /* @__PURE__ */ createGemma('functiongemma', '<escape>', [
  '<start_function_call>',
  '<end_function_call>',
]);
