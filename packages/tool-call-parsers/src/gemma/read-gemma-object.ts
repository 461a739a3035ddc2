import { maximumJsonDepth } from '../json/json-scanner.ts';
import type { ValueSchema } from '../schema/value-schema.ts';
import { maximumNameLength } from '../stream/call-limits.ts';
import { peekToken, type Reading, seekToken, skipSpace } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import type { ArgumentsWriter } from '../text-call/arguments-writer.ts';
import type { ReadingFault } from '../text-call/read-within.ts';
import { createValueReading } from './read-gemma-value.ts';

/** The schema of what has that key; an item has none. */
type SchemaOf = (key: string) => ValueSchema;

/** Reads the members of an object, and its closing brace, as the arguments of a call. */
export type ReadGemmaObject = (
  window: TextWindow,
  writer: ArgumentsWriter,
  schemaOf: SchemaOf,
) => Reading<ReadingFault | undefined>;

/** An object or array that is open. */
interface Level {
  readonly closer: '}' | ']';
  readonly schemaOf: SchemaOf;
}

const keyEnds: TokenTable = /* @__PURE__ */ createTokenTable([...':,{}[]<']);

/**
 * Makes the reading of Gemma's objects: `delimiter` stands for the quotes of JSON, and neither keys nor all values need
 * them. Values without them hold none of `tags`. Levels cost an entry in a list, not a generator.
 */
export function createObjectReading(delimiter: string, tags: readonly string[]): ReadGemmaObject {
  const delimiters = createTokenTable([delimiter]);
  const bareEnds = createTokenTable([...',{}[]', delimiter, ...tags]);
  const readGemmaValue = createValueReading(delimiters, delimiter, bareEnds);

  /** Reads a key and the colon behind it. Where there is none, the result is undefined. */
  function* readKey(window: TextWindow): Reading<string | undefined> {
    const opening = (yield* peekToken(window, delimiters)) ?? '';
    window.index += opening.length;
    const from = window.position;
    const end = yield* seekToken(window, opening ? delimiters : keyEnds, maximumNameLength);
    const key = window.slice(from, window.position);
    if (opening) window.index += end.length;
    const colon = yield* skipSpace(window);
    const name = opening ? key : trimWhiteSpace(key);
    if (colon !== ':' || !(opening || name)) return undefined;
    window.index += 1;
    return name;
  }

  return function* readGemmaObject(window, writer, schemaOf) {
    const outer: Level[] = [];
    let level: Level = { closer: '}', schemaOf };
    /** What stands in JSON before the next part; undefined behind a part. */
    let separator: string | undefined = '';
    for (;;) {
      const next = yield* skipSpace(window);
      if (next === level.closer && !separator) {
        window.index += 1;
        const around = outer.pop();
        if (!around) return undefined;
        writer.json(level.closer);
        level = around;
        separator = undefined;
      } else if (separator === undefined) {
        if (next !== ',') return expected(window, `, or ${level.closer}`);
        window.index += 1;
        separator = ', ';
      } else {
        const key = level.closer === '}' ? yield* readKey(window) : '';
        if (key === undefined) return expected(window, 'key:');
        if (outer.length === 0) writer.key(key);
        else writer.json(level.closer === '}' ? `${separator}${JSON.stringify(key)}: ` : separator);
        const schema = level.schemaOf(key);
        const opener = yield* skipSpace(window);
        separator = undefined;
        if (opener === '{' || opener === '[') {
          if (outer.length === maximumJsonDepth) return { kind: 'limit', reason: 'nested too deeply' };
          window.index += 1;
          writer.json(opener);
          outer.push(level);
          level = opener === '{' ? { closer: '}', schemaOf: schema.property } : { closer: ']', schemaOf: schema.item };
          separator = '';
        } else {
          const fault = yield* readGemmaValue(window, writer, schema);
          if (fault) return fault;
        }
      }
    }
  };
}

/** What is wrong where something else was expected. */
function expected(window: TextWindow, reason: string): ReadingFault {
  return { kind: window.position === window.end ? 'truncated' : 'bad-structure', reason };
}
