import { typeValue } from '../schema/typed-value.ts';
import type { ValueSchema } from '../schema/value-schema.ts';
import { maximumCallLength } from '../stream/call-limits.ts';
import { peekToken, type Reading, skipSpace, waitForMore } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import type { ArgumentsWriter } from './arguments-writer.ts';

/** How a format ends the values that it writes as plain text. */
export interface ValueEnd {
  /** What may end a value. */
  readonly closers: TokenTable;
  /**
   * Whether the closer at which the window stands ends the value; the window is then left where reading goes on.
   * Otherwise it is left anywhere, and the closer is part of the value.
   */
  readonly endsAt: (window: TextWindow, closer: string) => Reading<boolean>;
  /** Whether one line feed at each end belongs to the format, not to the value. */
  readonly stripsLineFeeds?: boolean | undefined;
  /** The JSON text of a value that is not a string for certain. */
  readonly typeValue?: ((raw: string, schema: ValueSchema) => string) | undefined;
}

/** Why there is no value; undefined where there is one. */
export type ValueFault = 'truncated' | 'limit' | undefined;

/** An end tag that ends a value only before a token of `followers`, since a value may hold its own end tag. */
export function endsBefore(followers: TokenTable, endTag: string): ValueEnd {
  return {
    closers: createTokenTable([endTag]),
    *endsAt(window) {
      window.index += endTag.length;
      yield* skipSpace(window);
      return Boolean(yield* peekToken(window, followers));
    },
  };
}

/**
 * Reads a value that begins where the window stands, and writes it as its schema says. A string flows; anything else is
 * known when it is complete.
 */
export function* readValue(
  window: TextWindow,
  writer: ArgumentsWriter,
  schema: ValueSchema,
  { closers, endsAt, stripsLineFeeds, typeValue: type = typeValue }: ValueEnd,
): Reading<ValueFault> {
  if (schema.isText) writer.json('"');
  if (stripsLineFeeds && (window.index < window.source.length || (yield* waitForMore(window)))) {
    if (window.source[window.index] === '\n') window.index += 1;
  }
  const start = window.position;
  // What is kept begins where the call begins.
  const limit = window.keptFrom + maximumCallLength;
  /** How far a string was written. A line feed may wait behind it, since it may be the format's. */
  let writtenTo = start;
  /** From where on a closer is looked for. */
  let searchFrom = start;
  for (;;) {
    const { source, base } = window;
    const at = closers.find(source, searchFrom - base);
    const closer = closers.match(source, at);
    searchFrom = base + at + (closer === undefined ? 1 : 0);
    if (closer === undefined && searchFrom <= limit) continue;
    const end = valueEnd(window, writtenTo, base + at, stripsLineFeeds);
    if (schema.isText) writer.text(window.slice(writtenTo, end));
    writtenTo = end;
    if (searchFrom > limit) {
      window.rewind(limit);
      return 'limit';
    }
    if (closer) {
      window.index = at;
      if (yield* endsAt(window, closer)) {
        writer.json(schema.isText ? '"' : type(window.slice(start, end), schema));
        return undefined;
      }
      searchFrom += 1;
      window.rewind(searchFrom);
    } else {
      window.index = at;
      if (!(yield* waitForMore(window))) return 'truncated';
    }
  }
}

/** The position up to which a value reaches that is not longer than to `to`. */
function valueEnd(window: TextWindow, from: number, to: number, stripsLineFeeds = false): number {
  return stripsLineFeeds && to > from && window.slice(to - 1, to) === '\n' ? to - 1 : to;
}
