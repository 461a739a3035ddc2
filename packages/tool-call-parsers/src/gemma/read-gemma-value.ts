import { typeValue } from '../schema/typed-value.ts';
import type { ValueSchema } from '../schema/value-schema.ts';
import { peekToken, type Reading, seekToken } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import type { ArgumentsWriter } from '../text-call/arguments-writer.ts';
import { attributedSchema } from '../text-call/attribute-type.ts';
import { endsBefore, readValue } from '../text-call/read-value.ts';
import type { ReadingFault } from '../text-call/read-within.ts';

/** Reads a value that is no object and no array, and writes it as JSON. */
export type ReadGemmaValue = (
  window: TextWindow,
  writer: ArgumentsWriter,
  declared: ValueSchema,
) => Reading<ReadingFault | undefined>;

/** What may stand behind a value. */
const followers: TokenTable = /* @__PURE__ */ createTokenTable([',', '}', ']']);

/** What is no string although it stands without delimiters, beside the words for null. */
const bareJson = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/;
const bareNull = /^n(?:ull|one|il)$/;

/**
 * Makes the reading of values: strings between `delimiters`, and bare ones. The latter hold no token of `bareEnds`, of
 * which some end them and others make them none.
 */
export function createValueReading(delimiters: TokenTable, delimiter: string, bareEnds: TokenTable): ReadGemmaValue {
  // Models write the delimiter for every quote, so within a string it stands for one.
  const undelimit = (text: string): string => text.replaceAll(delimiter, '"');
  const ending = {
    ...endsBefore(followers, delimiter),
    typeValue: (raw: string, schema: ValueSchema) => typeValue(undelimit(raw), schema),
  };

  return function* readGemmaValue(window, writer, declared) {
    // Where no string is declared, the text of one may be a value of another type.
    const schema = attributedSchema(declared, declared.types?.has('string') ?? true);
    if (yield* peekToken(window, delimiters)) {
      window.index += delimiter.length;
      const text = (part: string): void => writer.text(undelimit(part));
      const kind = yield* readValue(window, { ...writer, text }, schema, ending);
      return kind && { kind, reason: delimiter };
    }
    const from = window.position;
    const end = yield* seekToken(window, bareEnds);
    const raw = trimWhiteSpace(window.slice(from, window.position));
    if (!end || !raw) return { kind: end ? 'bad-structure' : 'truncated', reason: 'a value' };
    const json = bareJson.test(raw) ? raw : typeValue(raw, schema);
    writer.json(bareNull.test(raw) ? 'null' : json);
    return undefined;
  };
}
