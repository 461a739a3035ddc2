import { readArgumentsObject } from '../json/json-arguments.ts';
import { toolIndexOf } from '../schema/tool-index.ts';
import type { Answer } from '../stream/answer.ts';
import type { WrittenCall } from '../stream/call-format.ts';
import { createParser } from '../stream/create-parser.ts';
import { findToken, markedCalls } from '../stream/marked-calls.ts';
import { isCallName } from '../text/call-name.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { createArgumentsWriter } from '../text-call/arguments-writer.ts';
import { attributedSchema, typeJsonValue } from '../text-call/attribute-type.ts';
import { failHere } from '../text-call/fail-here.ts';
import { jsonMembers, plainValue } from '../text-call/json-members.ts';
import { readAttributes } from '../text-call/read-attributes.ts';
import { readValue, type ValueEnd } from '../text-call/read-value.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

/** What the members of the family differ in. */
export interface InvokeTags {
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
  /** What stands around all calls. */
  readonly section: readonly [open: string, close: string];
  /** Whether calls outside of a section are text, since their tags might be any text's. */
  readonly needsSection?: boolean | undefined;
  /** What stands before the name of a tag. */
  readonly prefix: string;
  /** What stands before and behind each call. */
  readonly frame?: readonly [open: readonly [string, ...string[]], close: string] | undefined;
  /** Whether an attribute `string` tells strings from JSON, and a JSON object may stand for all parameters. */
  readonly isTyped?: boolean | undefined;
  /** What stands between the tags. */
  readonly between: string;
  readonly stripsLineFeeds?: boolean | undefined;
}

/** What the attribute `string` says; anything else says nothing. */
const stringAttributes: ReadonlyMap<string | undefined, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const tagEnd: TokenTable = /* @__PURE__ */ createTokenTable(['>']);

/**
 * The format whose calls are tags with attributes, and their values plain text: `<invoke name="…">`,
 * `<parameter name="…">`, value, `</parameter>` for each parameter, `</invoke>`.
 */
export function createInvokeTags(tags: InvokeTags): ToolCallParser {
  const { section, needsSection, prefix, frame, isTyped, between, stripsLineFeeds, ...names } = tags;
  const [sectionStart, sectionEnd] = section;
  const invokeStart = `<${prefix}invoke`;
  const invokeEnd = `</${prefix}invoke>`;
  const parameterStart = `<${prefix}parameter`;
  const parameterEnd = `</${prefix}parameter>`;
  const [[callStart, ...leads], callEnd] = frame ?? [[invokeStart], ''];
  const parts = createTokenTable([parameterStart, invokeEnd]);
  const invokeEnds = createTokenTable([invokeEnd]);
  const inSection = createTokenTable([callStart, sectionEnd]);
  const leadTables = leads.map((lead) => createTokenTable([lead]));
  const ending: ValueEnd = {
    closers: createTokenTable([parameterEnd]),
    stripsLineFeeds,
    *endsAt(window, closer) {
      window.index += closer.length;
      yield* skipSpace(window);
      return Boolean(yield* peekToken(window, parts));
    },
  };

  const typedEnding: ValueEnd = { ...ending, typeValue: typeJsonValue };

  /** Reads the tag of a call, and what stands before it, up to behind its end: the call's name. */
  function* readHead(answer: Answer, start: number): Reading<string | undefined> {
    const { window } = answer;
    answer.open(start);
    for (const table of leadTables) {
      yield* skipSpace(window);
      const token = yield* peekToken(window, table);
      if (!token) {
        failHere(answer, token, leads.join(''));
        return undefined;
      }
      window.index += token.length;
    }
    const attributes = yield* readAttributes(answer, tagEnd);
    const name = attributes?.get('name') ?? '';
    if (!attributes || isCallName(name)) return attributes && name;
    answer.fail('bad-name', `"${name}" is no name`, window.position);
    return undefined;
  }

  function* readCall(answer: Answer, start: number): Reading<void> {
    const { window, options } = answer;
    const name = yield* readHead(answer, start);
    if (name === undefined) return;
    const tools = toolIndexOf(options.tools);
    const writer = createArgumentsWriter();
    writer.name = name;
    answer.open(start, writer);
    if ((yield* skipSpace(window)) === '{' && isTyped) {
      const call = yield* readArgumentsObject(answer, { start, name, resumeAt: window.position });
      if (call === undefined) return;
      yield* skipSpace(window);
      const end = yield* peekToken(window, invokeEnds);
      if (!end) return failHere(answer, end, invokeEnd);
      window.index += end.length;
      return answer.call(call);
    }
    for (;;) {
      yield* skipSpace(window);
      const part = yield* peekToken(window, parts);
      if (!part) return failHere(answer, part, `${parameterStart} or ${invokeEnd}`);
      window.index += part.length;
      if (part === invokeEnd) return answer.call(writer.finish());
      const attributes = yield* readAttributes(answer, tagEnd);
      if (attributes === undefined) return;
      const key = attributes.get('name');
      if (key === undefined) return answer.fail('bad-structure', 'name=', window.position);
      writer.key(key);
      const isText = isTyped ? stringAttributes.get(attributes.get('string')) : undefined;
      const schema = attributedSchema(tools.parameter(name, key), isText);
      const fault = yield* readValue(window, writer, schema, isText === undefined ? ending : typedEnding);
      if (fault) return answer.fail(fault, fault === 'limit' ? 'the call is too long' : parameterEnd, window.position);
    }
  }

  /** Reads calls up to the end of their section, and what text may stand between them. */
  function* readSection(answer: Answer, start: number): Reading<void> {
    const { window } = answer;
    answer.open(start);
    yield* skipSpace(window);
    const first = yield* peekToken(window, inSection);
    if (first !== callStart) return failHere(answer, first, callStart);
    window.index += first.length;
    yield* readCall(answer, start);
    for (;;) {
      const token = yield* findToken(answer, inSection);
      const at = window.position;
      window.index += token.length;
      if (token === callStart) yield* readCall(answer, at);
      else {
        if (answer.isAfterCall) answer.skip(window.position);
        return;
      }
    }
  }

  function writeCall({ name, arguments: json }: WrittenCall): string {
    const parameters = jsonMembers(json).map(([key, value]) => {
      const text = plainValue(value);
      const line = stripsLineFeeds && /^\n|\n$/.test(text) ? '\n' : '';
      const type = isTyped ? ` string="${value.startsWith('"')}"` : '';
      return `${parameterStart} ${nameAttribute(key)}${type}>${line}${text}${line}${parameterEnd}`;
    });
    const [head, ...middle] = [`${[callStart, ...leads].join('')} ${nameAttribute(name)}>`, ...parameters];
    return [head, ...middle, invokeEnd + callEnd].join(between);
  }

  const startMarkers = needsSection ? [sectionStart] : [callStart];
  return createParser({
    ...names,
    startMarkers,
    read: needsSection
      ? markedCalls({ startMarkers, readCall: readSection })
      : markedCalls({
          startMarkers,
          openers: [sectionStart],
          closers: [callEnd, sectionEnd].filter(Boolean),
          readCall,
        }),
    callEnd: />/,
    separator: '\n',
    write: (calls) => [sectionStart, ...calls.map(writeCall), sectionEnd].join(between),
  });
}

/** In quotes that it does not hold. What holds both cannot be written. */
function nameAttribute(name: string): string {
  const quote = name.includes('"') ? "'" : '"';
  return `name=${quote}${name}${quote}`;
}

/** The format of MiniMax-M2. */
export const minimaxM2: ToolCallParser = /* @__PURE__ */ createInvokeTags({
  name: 'minimax_m2',
  aliases: ['minimax-m2'],
  section: ['<minimax:tool_call>', '</minimax:tool_call>'],
  needsSection: true,
  prefix: '',
  between: '\n',
  stripsLineFeeds: true,
});

/** What the tags of DeepSeek begin with. */
const dsml: Omit<InvokeTags, 'name' | 'section'> = { prefix: '｜DSML｜', isTyped: true, between: '\n' };

/** The format of DeepSeek V3.2. */
export const deepseekV32: ToolCallParser = /* @__PURE__ */ createInvokeTags({
  ...dsml,
  name: 'deepseek_v32',
  aliases: ['deepseekv32'],
  section: ['<｜DSML｜function_calls>', '</｜DSML｜function_calls>'],
});

/** The format of DeepSeek V4: that of V3.2 with another section. */
export const deepseekV4: ToolCallParser = /* @__PURE__ */ createInvokeTags({
  ...dsml,
  name: 'deepseek_v4',
  aliases: ['deepseekv4'],
  section: ['<｜DSML｜tool_calls>', '</｜DSML｜tool_calls>'],
});

/** The format of Step-3. */
export const step3: ToolCallParser = /* @__PURE__ */ createInvokeTags({
  name: 'step3',
  section: ['<｜tool_calls_begin｜>', '<｜tool_calls_end｜>'],
  prefix: 'steptml:',
  frame: [['<｜tool_call_begin｜>', 'function', '<｜tool_sep｜>', '<steptml:invoke'], '<｜tool_call_end｜>'],
  between: '',
});
