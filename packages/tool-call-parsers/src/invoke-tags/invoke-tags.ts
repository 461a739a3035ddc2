import type { readArgumentsObject } from '../json/json-arguments.ts';
import type { ValueSchema } from '../schema/value-schema.ts';
import type { Answer, AnswerReading } from '../stream/answer.ts';
import type { WrittenCall } from '../stream/call-format.ts';
import { createParser } from '../stream/create-parser.ts';
import { type MarkedGrammar, markedCalls } from '../stream/marked-calls.ts';
import { openedBy } from '../stream/opened-by.ts';
import type { Reading } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { attributedCall } from '../text-call/attributed-call.ts';
import { jsonMembers, plainValue } from '../text-call/json-members.ts';
import { endsBefore, readValue, type ValueEnd } from '../text-call/read-value.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';

/** What the members of the family differ in. What only one of them does is a function here, so that others do not bring it. */
export interface InvokeTags {
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
  /** What stands around all calls. */
  readonly section: readonly [open: string, close: string];
  /** What stands before the name of a tag. */
  readonly prefix: string;
  /** What stands between the tags. */
  readonly between: string;
  /** Whether one line feed at each end of a value belongs to the format. */
  readonly stripsLineFeeds?: boolean | undefined;
  /** What stands before the tag of a call and behind it. */
  readonly frame?: InvokeFrame | undefined;
  /** How the text itself says what is a string. */
  readonly typing?: InvokeTyping | undefined;
  /** The texts with which a call begins, where that is not its own tag. */
  readonly startMarkers?: readonly string[] | undefined;
  /** Makes the reading of answers from that of calls: {@link readAnywhere}, or one that demands the section. */
  readonly read: (grammar: MarkedGrammar, section: readonly [open: string, close: string]) => AnswerReading;
}

/** What a format has around each call besides its tags. */
export interface InvokeFrame {
  /** The first of what stands before the tag. */
  readonly start: string;
  readonly lead: string;
  readonly end: string;
  /** Reads the lead and the beginning of the tag, which is `tagStart`. False where something else stands there, which is told. */
  readonly readLead: (answer: Answer, tagStart: string) => Reading<boolean>;
}

/** How the attributes of a value say what it is. */
export interface InvokeTyping {
  /** Reads the JSON object that may stand for all parameters. */
  readonly readObject: typeof readArgumentsObject;
  /** The schema by the attributes; undefined where they say nothing. */
  readonly schemaOf: (declared: ValueSchema, attributes: ReadonlyMap<string, string>) => ValueSchema | undefined;
  readonly typeValue: (raw: string, schema: ValueSchema) => string;
  /** The attributes of a value that is given as JSON text. */
  readonly write: (json: string) => string;
}

const tagEnd: TokenTable = /* @__PURE__ */ createTokenTable(['>']);

/**
 * The format whose calls are tags with attributes, and their values plain text: `<invoke name="…">`,
 * `<parameter name="…">`, value, `</parameter>` for each parameter, `</invoke>`.
 */
export function createInvokeTags(tags: InvokeTags): ToolCallParser {
  const { section, prefix, between, stripsLineFeeds, frame, typing, read, ...names } = tags;
  const [sectionStart, sectionEnd] = section;
  const invokeStart = `<${prefix}invoke`;
  const invokeEnd = `</${prefix}invoke>`;
  const parameterStart = `<${prefix}parameter`;
  const parameterEnd = `</${prefix}parameter>`;
  const callStart = frame ? frame.start : invokeStart;
  const parts = createTokenTable([parameterStart, invokeEnd]);
  // With the white space before an attribute, since values may hold XML with tags of such names.
  const followers = createTokenTable([...[...' \t\r\n'].map((space) => parameterStart + space), invokeEnd]);
  const ending: ValueEnd = { ...endsBefore(followers, parameterEnd), stripsLineFeeds };
  const readInvoke = attributedCall({
    tags: [parameterStart, parameterEnd, invokeEnd],
    tagEnd,
    parts,
    keys: ['name', 'name'],
    readObject: typing?.readObject,
    readArgument(window, writer, declared, attributes) {
      const schema = typing?.schemaOf(declared, attributes);
      return readValue(
        window,
        writer,
        schema ?? declared,
        schema ? { ...ending, typeValue: typing?.typeValue } : ending,
      );
    },
  });

  function* readFramed(answer: Answer, start: number): Reading<void> {
    answer.open(start);
    if (!frame || (yield* frame.readLead(answer, invokeStart))) yield* readInvoke(answer, start);
  }

  function writeCall({ name, arguments: json }: WrittenCall): string {
    const parameters = jsonMembers(json).map(([key, value]) => {
      const text = plainValue(value);
      const line = stripsLineFeeds && /^\n|\n$/.test(text) ? '\n' : '';
      const type = typing ? typing.write(value) : '';
      return `${parameterStart} ${nameAttribute(key)}${type}>${line}${text}${line}${parameterEnd}`;
    });
    const head = `${frame ? frame.start + frame.lead : ''}${invokeStart} ${nameAttribute(name)}>`;
    return [head, ...parameters, invokeEnd + (frame ? frame.end : '')].join(between);
  }

  const grammar: MarkedGrammar = {
    startMarkers: [callStart],
    closers: frame ? [frame.end, sectionEnd] : [sectionEnd],
    readCall: frame ? readFramed : readInvoke,
  };
  return createParser({
    ...names,
    startMarkers: names.startMarkers ?? [callStart],
    read: read(grammar, section),
    callEnd: /^>|e>/,
    separator: '\n',
    write: (calls) => [sectionStart, ...calls.map(writeCall), sectionEnd].join(between),
  });
}

/** Reads calls anywhere; the tags of a section vanish beside them. */
export function readAnywhere(grammar: MarkedGrammar, [open]: readonly [open: string, close: string]): AnswerReading {
  return markedCalls(openedBy([open], grammar));
}

/** In quotes that it does not hold. What holds both cannot be written. */
function nameAttribute(name: string): string {
  const quote = name.includes('"') ? "'" : '"';
  return `name=${quote}${name}${quote}`;
}
