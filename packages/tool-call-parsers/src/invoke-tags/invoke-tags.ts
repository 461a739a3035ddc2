import { readArgumentsObject } from '../json/json-arguments.ts';
import type { Answer } from '../stream/answer.ts';
import type { WrittenCall } from '../stream/call-format.ts';
import { createParser } from '../stream/create-parser.ts';
import { findToken, markedCalls } from '../stream/marked-calls.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { attributedSchema, typeJsonValue } from '../text-call/attribute-type.ts';
import { attributedCall } from '../text-call/attributed-call.ts';
import { failHere } from '../text-call/fail-here.ts';
import { jsonMembers, plainValue } from '../text-call/json-members.ts';
import { endsBefore, readValue, type ValueEnd } from '../text-call/read-value.ts';
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
  /** Reads the JSON object that may stand for all parameters, where an attribute `string` tells strings from JSON. */
  readonly readObject?: typeof readArgumentsObject | undefined;
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
  const { section, needsSection, prefix, frame, readObject, between, stripsLineFeeds, ...names } = tags;
  const [sectionStart, sectionEnd] = section;
  const invokeStart = `<${prefix}invoke`;
  const invokeEnd = `</${prefix}invoke>`;
  const parameterStart = `<${prefix}parameter`;
  const parameterEnd = `</${prefix}parameter>`;
  const [[callStart, ...leads], callEnd] = frame ?? [[invokeStart], ''];
  const parts = createTokenTable([parameterStart, invokeEnd]);
  const inSection = createTokenTable([callStart, sectionEnd]);
  const leadTables = leads.map((lead) => createTokenTable([lead]));
  const ending: ValueEnd = { ...endsBefore(parts, parameterEnd), stripsLineFeeds };
  const typedEnding: ValueEnd = { ...ending, typeValue: typeJsonValue };
  const readInvoke = attributedCall({
    tags: [parameterStart, parameterEnd, invokeEnd],
    tagEnd,
    parts,
    keys: ['name', 'name'],
    readObject,
    readArgument(window, writer, declared, attributes) {
      const isText = readObject && stringAttributes.get(attributes.get('string'));
      return readValue(window, writer, attributedSchema(declared, isText), isText === undefined ? ending : typedEnding);
    },
  });

  /** Reads a call behind the first of what leads to the name of its tag. */
  function* readCall(answer: Answer, start: number): Reading<void> {
    const { window } = answer;
    answer.open(start);
    for (const table of leadTables) {
      yield* skipSpace(window);
      const token = yield* peekToken(window, table);
      if (!token) return failHere(answer, token, leads.join(''));
      window.index += token.length;
    }
    yield* readInvoke(answer, start);
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
      const type = readObject ? ` string="${value.startsWith('"')}"` : '';
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
    callEnd: /^>|e>/,
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

/** The format of DeepSeek, named so, whose section is called `section`. */
function createDsml(name: string, alias: string, section: string): ToolCallParser {
  return createInvokeTags({
    name,
    aliases: [alias],
    section: [`<｜DSML｜${section}>`, `</｜DSML｜${section}>`],
    prefix: '｜DSML｜',
    between: '\n',
    readObject: readArgumentsObject,
  });
}

/** The format of DeepSeek V3.2. */
export const deepseekV32: ToolCallParser = /* @__PURE__ */ createDsml('deepseek_v32', 'deepseekv32', 'function_calls');

/** The format of DeepSeek V4: that of V3.2 with another section. */
export const deepseekV4: ToolCallParser = /* @__PURE__ */ createDsml('deepseek_v4', 'deepseekv4', 'tool_calls');

/** The format of Step-3. */
export const step3: ToolCallParser = /* @__PURE__ */ createInvokeTags({
  name: 'step3',
  section: ['<｜tool_calls_begin｜>', '<｜tool_calls_end｜>'],
  prefix: 'steptml:',
  frame: [['<｜tool_call_begin｜>', 'function', '<｜tool_sep｜>', '<steptml:invoke'], '<｜tool_call_end｜>'],
  between: '',
});
