import { toolIndexOf } from '../schema/tool-index.ts';
import type { Answer } from '../stream/answer.ts';
import type { WrittenCall } from '../stream/call-format.ts';
import { maximumNameLength } from '../stream/call-limits.ts';
import { createParser } from '../stream/create-parser.ts';
import { inertBetween } from '../stream/inert-calls.ts';
import { markedCalls } from '../stream/marked-calls.ts';
import { openedBy } from '../stream/opened-by.ts';
import { readLabel } from '../stream/read-label.ts';
import { peekToken, type Reading, seekToken, skipSpace } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { createArgumentsWriter } from '../text-call/arguments-writer.ts';
import { failHere } from '../text-call/fail-here.ts';
import { jsonMembers, plainValue } from '../text-call/json-members.ts';
import { readName } from '../text-call/read-name.ts';
import { readValue } from '../text-call/read-value.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

const functionStart = '<function=';
const functionEnd = '</function>';
const parameterStart = '<parameter=';
const parameterEnd = '</parameter>';

/** What may end a value. */
const closers: TokenTable = /* @__PURE__ */ createTokenTable([parameterEnd, functionEnd, parameterStart]);
const keyEnds: TokenTable = /* @__PURE__ */ createTokenTable(['>', '<', '\n']);

/** What the members of the family differ in. */
interface FunctionTags {
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
  /** What stands around calls. */
  readonly wrapper: readonly [open: string, close: string];
  /** Between these, everything is text. */
  readonly inert?: readonly [open: string, close: string] | undefined;
  /** Writes the text of a value between its tags. */
  readonly writeValue: (text: string) => string;
}

/**
 * The format whose calls are a function with its parameters, each a tag of its own, and their values plain text:
 * `<function=name>`, `<parameter=key>`, value, `</parameter>` for each parameter, `</function>`.
 */
function createFunctionTags({ wrapper, inert, writeValue, ...names }: FunctionTags): ToolCallParser {
  const [wrapperStart, wrapperEnd] = wrapper;
  const startMarkers = [functionStart];
  const parts = createTokenTable([parameterStart, functionEnd, wrapperEnd]);
  const followers = createTokenTable([functionStart, wrapperStart, wrapperEnd]);

  function* readCall(answer: Answer, start: number): Reading<void> {
    const { window, options } = answer;
    const writer = createArgumentsWriter();
    answer.open(start, writer);
    const name = yield* readName(answer);
    if (name === undefined) return;
    const bracket = yield* skipSpace(window);
    if (bracket !== '>') return failHere(answer, bracket, '>');
    window.index += 1;
    writer.name = name;
    const tools = toolIndexOf(options.tools);
    const usedKeys = new Set<string>();
    const declaredKeys = tools.propertyNames(name);
    const isNewKey = (key: string): boolean => !usedKeys.has(key) && (declaredKeys?.includes(key) ?? true);
    const endsAt = (_: TextWindow, closer: string): Reading<boolean> => endsValue(window, closer, isNewKey);
    for (;;) {
      yield* skipSpace(window);
      const part = yield* peekToken(window, parts);
      if (!part) return failHere(answer, part, `${parameterStart} or ${functionEnd}`);
      if (part !== parameterStart) {
        // The end of the wrapper stays: it vanishes behind every call.
        if (part === functionEnd) window.index += part.length;
        return answer.call(writer.finish());
      }
      window.index += part.length;
      const key = yield* readLabel(answer, keyEnds, undefined, '>');
      if (key === undefined) return;
      window.index += 1;
      usedKeys.add(key);
      writer.key(key);
      const schema = tools.parameter(name, key);
      const fault = yield* readValue(window, writer, schema, { closers, endsAt, stripsLineFeeds: true });
      if (fault) return answer.fail(fault, fault === 'limit' ? 'the call is too long' : parameterEnd, window.position);
    }
  }

  /**
   * Whether a closer ends the value. Values are plain text, so that is told by what follows: behind the end of a
   * parameter, another part of the call; behind the end of a function, where that of the parameter is missing, what may
   * follow a call. The start of a parameter must begin a line, and its key be one that is still to come.
   */
  function* endsValue(window: TextWindow, closer: string, isNewKey: (key: string) => boolean): Reading<boolean> {
    const at = window.position;
    const beginsLine = window.slice(at - 1, at) === '\n';
    let isEnd: boolean;
    window.index += closer.length;
    if (closer === parameterStart) {
      const key = beginsLine ? yield* peekKey(window) : undefined;
      isEnd = key !== undefined && isNewKey(key);
    } else {
      const next = yield* skipSpace(window);
      if (closer === parameterEnd) return Boolean(yield* peekToken(window, parts));
      // At the end of the text, the value may have been cut: there, only a tag that begins a line is trusted.
      isEnd = next ? Boolean(yield* peekToken(window, followers)) : beginsLine;
    }
    if (isEnd) window.rewind(at);
    return isEnd;
  }

  const grammar = openedBy([wrapperStart], { startMarkers, closers: [wrapperEnd], readCall });
  return createParser({
    ...names,
    startMarkers,
    read: markedCalls(inert ? inertBetween(...inert, grammar) : grammar),
    separator: '\n',
    write: (calls) =>
      calls.map((call) => `${wrapperStart}\n${writeFunction(call, writeValue)}\n${wrapperEnd}`).join('\n'),
  });
}

/** The key of the parameter behind the beginning of whose tag the window stands, if it has one. */
function* peekKey(window: TextWindow): Reading<string | undefined> {
  const from = window.position;
  const end = yield* seekToken(window, keyEnds, maximumNameLength);
  return end === '>' ? trimWhiteSpace(window.slice(from, window.position)) : undefined;
}

function writeFunction(call: WrittenCall, writeValue: (text: string) => string): string {
  const parameters = jsonMembers(call.arguments).map(
    ([key, value]) => `${parameterStart}${key}>${writeValue(plainValue(value))}${parameterEnd}\n`,
  );
  return `${functionStart}${call.name}>\n${parameters.join('')}${functionEnd}`;
}

/** The format of Qwen3-Coder, which MiMo and Step-3.5 took over. */
export const qwen3Coder: ToolCallParser = /* @__PURE__ */ createQwen3('qwen3_coder', ['mimo', 'step3p5']);

/** {@link qwen3Coder} under the name that vLLM gives to another reader of it. */
export const qwen3Xml: ToolCallParser = /* @__PURE__ */ createQwen3('qwen3_xml');

function createQwen3(name: string, aliases?: readonly string[]): ToolCallParser {
  return createFunctionTags({
    name,
    aliases,
    wrapper: ['<tool_call>', '</tool_call>'],
    writeValue: (text) => `\n${text}\n`,
  });
}

/** The format of Seed-OSS: that of Qwen3-Coder with other tags around. Calls in its thinking are none. */
export const seedOss: ToolCallParser = /* @__PURE__ */ createFunctionTags({
  name: 'seed_oss',
  wrapper: ['<seed:tool_call>', '</seed:tool_call>'],
  inert: ['<seed:think>', '</seed:think>'],
  // The line feed that is taken off at each end is only written where there is another.
  writeValue: (text) => (/^\n|\n$/.test(text) ? `\n${text}\n` : text),
});
