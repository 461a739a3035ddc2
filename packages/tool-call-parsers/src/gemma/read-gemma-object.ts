import { maximumNameLength } from '../stream/call-limits.ts';
import { peekToken, type Reading, seekToken, skipSpace, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import type { ArgumentsWriter } from '../text-call/arguments-writer.ts';
import type { ReadingFault } from '../text-call/read-within.ts';
import { createObjectParts } from './object-parts.ts';
import { createValueReading, type SchemaOf } from './read-gemma-value.ts';

/** Reads the members of an object, and its closing brace, as the arguments of a call. */
export type ReadGemmaObject = (
  window: TextWindow,
  writer: ArgumentsWriter,
  schemaOf: SchemaOf,
) => Reading<ReadingFault | undefined>;

const keyEnds: TokenTable = /* @__PURE__ */ createTokenTable([...':,{}[]<']);

/**
 * Makes the reading of Gemma's objects: `delimiter` stands for the quotes of JSON, and neither keys nor all values need
 * them. Values without them hold none of `tags`.
 */
export function createObjectReading(delimiter: string, tags: readonly string[]): ReadGemmaObject {
  const delimiters = createTokenTable([delimiter]);
  const { readWhole, read } = createValueReading(delimiter, delimiters, tags);

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
    const parts = createObjectParts(readWhole, schemaOf);
    for (;;) {
      const fault = parts.read(window, writer);
      if (fault || parts.isOver) return fault;
      if (window.index === window.source.length) {
        if (!(yield* waitForMore(window))) return { kind: 'truncated', reason: 'the end of the object' };
      } else if (parts.key === undefined) {
        const key = yield* readKey(window);
        if (key === undefined) {
          return { kind: window.position < window.end ? 'bad-structure' : 'truncated', reason: 'key:' };
        }
        writer.json(parts.begin(key));
      } else {
        const valueFault = yield* read(window, writer, parts.schema());
        if (valueFault) return valueFault;
        parts.end();
      }
    }
  };
}
