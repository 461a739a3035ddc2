import { toolIndexOf } from '../schema/tool-index.ts';
import type { Answer } from '../stream/answer.ts';
import type { CallFormat, WrittenCall } from '../stream/call-format.ts';
import { createParser } from '../stream/create-parser.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { openedBy } from '../stream/opened-by.ts';
import { readLabel } from '../stream/read-label.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { createArgumentsWriter } from '../text-call/arguments-writer.ts';
import { failHere } from '../text-call/fail-here.ts';
import { jsonMembers, plainValue } from '../text-call/json-members.ts';
import { readName } from '../text-call/read-name.ts';
import { readValue, type ValueEnd } from '../text-call/read-value.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const callStart = '<tool_call>';
const callEnd = '</tool_call>';
const nameEnd = '<tool_sep>';
const keyStart = '<arg_key>';
const keyEnd = '</arg_key>';
const valueStart = '<arg_value>';
const valueEnd = '</arg_value>';
/** Some models write a line feed as these two characters between the parts. */
const spelledLineFeed = '\\n';
const spelledLineFeeds = /(?:\\n)+$/;

const parts: TokenTable = /* @__PURE__ */ createTokenTable([keyStart, callEnd, valueStart, nameEnd, spelledLineFeed]);
const keyEnds: TokenTable = /* @__PURE__ */ createTokenTable([keyEnd]);

/** A value may hold its own end tag: it ends where another part of the call follows. */
const ending: ValueEnd = {
  closers: /* @__PURE__ */ createTokenTable([valueEnd]),
  *endsAt(window, closer) {
    window.index += closer.length;
    const part = yield* peekPart(window);
    return part === keyStart || part === callEnd;
  },
};

/** The part of a call that stands behind the gap where the window stands; the window then stands at it. */
function* peekPart(window: TextWindow): Reading<string | undefined> {
  for (;;) {
    yield* skipSpace(window);
    const part = yield* peekToken(window, parts);
    if (part !== spelledLineFeed) return part;
    window.index += part.length;
  }
}

/** What the members of the family differ in. */
interface ArgumentPairs extends Pick<CallFormat, 'name' | 'aliases' | 'write'> {
  /** What must stand behind the name. */
  readonly separator?: string | undefined;
  /** The two tags that may stand around all calls. */
  readonly section?: readonly string[] | undefined;
}

/**
 * The format whose calls are a name and pairs of a key and a value, each in tags of its own, and all of it plain text:
 * `<tool_call>`, name, `<arg_key>`, key, `</arg_key>`, `<arg_value>`, value, `</arg_value>` for each pair, `</tool_call>`.
 */
function createArgumentPairs({ separator, section = [], ...format }: ArgumentPairs): ToolCallParser {
  function* readCall(answer: Answer, start: number): Reading<void> {
    const { window, options } = answer;
    const tools = toolIndexOf(options.tools);
    const writer = createArgumentsWriter();
    answer.open(start, writer);
    yield* peekPart(window);
    const label = yield* readName(answer);
    if (label === undefined) return;
    const name = label.replace(spelledLineFeeds, '');
    let part = yield* peekPart(window);
    if (separator) {
      if (part !== separator) return failHere(answer, part, separator);
      window.index += part.length;
      part = yield* peekPart(window);
    }
    writer.name = name;
    while (part === keyStart) {
      window.index += part.length;
      const key = yield* readLabel(answer, keyEnds, undefined, keyEnd);
      if (key === undefined) return;
      window.index += keyEnd.length;
      part = yield* peekPart(window);
      if (part !== valueStart) return failHere(answer, part, valueStart);
      window.index += part.length;
      writer.key(key);
      const fault = yield* readValue(window, writer, tools.parameter(name, key), ending);
      if (fault) return answer.fail(fault, fault === 'limit' ? 'the call is too long' : valueEnd, window.position);
      part = yield* peekPart(window);
    }
    if (part !== callEnd) return failHere(answer, part, `${keyStart} or ${callEnd}`);
    window.index += part.length;
    answer.call(writer.finish());
  }

  const startMarkers = [callStart];
  return createParser({
    ...format,
    startMarkers,
    read: markedCalls(openedBy(section.slice(0, 1), { startMarkers, closers: section.slice(1), readCall })),
    separator: '\n',
  });
}

/** Writes calls with `between` behind the name and each part. */
function writePairs(calls: readonly WrittenCall[], between: string): string[] {
  return calls.map(({ name, arguments: json }) => {
    const pairs = jsonMembers(json).map(
      ([key, value]) => `${keyStart}${key}${keyEnd}${between}${valueStart}${plainValue(value)}${valueEnd}${between}`,
    );
    return `${callStart}${name}${between}${pairs.join('')}${callEnd}`;
  });
}

/** The format of GLM-4.5 and GLM-4.6, one part a line. The layout of GLM-4.7 is read too. */
export const glm45: ToolCallParser = /* @__PURE__ */ createArgumentPairs({
  name: 'glm45',
  aliases: ['glm', 'glm4_moe', 'poolside_v1'],
  write: (calls) => writePairs(calls, '\n').join('\n'),
});

/** The format of GLM-4.7 and later, all on one line. The layout of GLM-4.5 is read too. */
export const glm47: ToolCallParser = /* @__PURE__ */ createArgumentPairs({
  name: 'glm47',
  write: (calls) => writePairs(calls, '').join(''),
});

/** The format of Hunyuan 3: that of GLM with a token behind the name, in a section of calls. */
export const hyV3: ToolCallParser = /* @__PURE__ */ createArgumentPairs({
  name: 'hy_v3',
  separator: nameEnd,
  section: ['<tool_calls>', '</tool_calls>'],
  write: (calls) =>
    [
      '<tool_calls>',
      ...writePairs(
        calls.map((call) => ({ ...call, name: call.name + nameEnd })),
        '\n',
      ),
      '</tool_calls>',
    ].join('\n'),
});
