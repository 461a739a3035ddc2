import { typeValue } from '../schema/typed-value.ts';
import type { ValueSchema } from '../schema/value-schema.ts';
import { escapeText } from '../text/escape-text.ts';
import { peekToken, type Reading, seekToken } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import type { ArgumentsWriter } from '../text-call/arguments-writer.ts';
import { attributedSchema } from '../text-call/attribute-type.ts';
import { endsBefore, readValue } from '../text-call/read-value.ts';
import { type ReadingFault, tooLong } from '../text-call/read-within.ts';

/** The schema of what has that key; items have none. */
export type SchemaOf = (key: string) => ValueSchema;

/** What was read as JSON, and where its text ends. */
export interface WholePart {
  readonly json: string;
  readonly end: number;
}

/** Two ways to read a value that is neither object nor array. */
export interface ValueReading {
  /** Reads one that begins at `index`, if that is easily done and all of it is there. */
  readWhole(source: string, index: number, schemaOf: SchemaOf, key: string): WholePart | undefined;
  /** Reads one as it comes. */
  read(window: TextWindow, writer: ArgumentsWriter, declared: ValueSchema): Reading<ReadingFault | undefined>;
}

/** What may stand behind a value. */
const followers: TokenTable = /* @__PURE__ */ createTokenTable([',', '}', ']']);

/** What is no string although it stands without delimiters, when its end is there. */
const wholeJson = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?=[,}\]])/y;

/** Other words for null. */
const none = /^(?:none|nil)$/;

/** Makes the reading of values: strings between delimiters, and others without, which hold none of `tags`. */
export function createValueReading(delimiter: string, delimiters: TokenTable, tags: readonly string[]): ValueReading {
  const bareEnds = createTokenTable([...',{}[]', delimiter, ...tags]);
  // Models write the delimiter for every quote, so within a string it stands for one.
  const undelimit = (text: string): string => text.replaceAll(delimiter, '"');
  const ending = {
    ...endsBefore(followers, delimiter),
    typeValue: (raw: string, schema: ValueSchema) => typeValue(undelimit(raw), schema),
  };

  return {
    readWhole(source, index, schemaOf, key) {
      if (source.startsWith(delimiter, index)) {
        const from = index + delimiter.length;
        const to = source.indexOf(delimiter, from);
        const end = to + delimiter.length;
        if (to < 0 || !followers.match(source, end) || !mayBeText(schemaOf(key))) return undefined;
        return { json: `"${escapeText(source.slice(from, to))}"`, end };
      }
      wholeJson.lastIndex = index;
      if (!wholeJson.test(source)) return undefined;
      const end = wholeJson.lastIndex;
      return { json: source.slice(index, end), end };
    },

    *read(window, writer, declared) {
      const schema = attributedSchema(declared, mayBeText(declared));
      if (yield* peekToken(window, delimiters)) {
        window.index += delimiter.length;
        const text = (part: string): void => writer.text(undelimit(part));
        const kind = yield* readValue(window, { ...writer, text }, schema, ending);
        return kind === 'limit' ? tooLong : kind && { kind, reason: delimiter };
      }
      const from = window.position;
      const end = yield* seekToken(window, bareEnds);
      const raw = trimWhiteSpace(window.slice(from, window.position));
      if (!end || !raw) return { kind: end ? 'bad-structure' : 'truncated', reason: 'a value' };
      wholeJson.lastIndex = 0;
      const isJson = wholeJson.test(`${raw},`);
      if (none.test(raw)) writer.json('null');
      else writer.json(isJson ? raw : typeValue(raw, schema));
      return undefined;
    },
  };
}

/** Whether a string can be meant. Where none is declared, the text of one may be a value of another type. */
function mayBeText({ types }: ValueSchema): boolean {
  return types?.has('string') ?? true;
}
