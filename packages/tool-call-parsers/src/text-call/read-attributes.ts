import type { Answer } from '../stream/answer.ts';
import { maximumNameLength } from '../stream/call-limits.ts';
import { readLabel } from '../stream/read-label.ts';
import { peekToken, type Reading, seekToken, skipSpace } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { failHere } from './fail-here.ts';

const nameEnds: TokenTable = /* @__PURE__ */ createTokenTable(['=', '>', '<', '"', "'"]);
const doubleQuote: TokenTable = /* @__PURE__ */ createTokenTable(['"']);
const singleQuote: TokenTable = /* @__PURE__ */ createTokenTable(["'"]);
/** Longest value, so that a quote that is never closed does not hold the text. */
const maximumValueLength = 2 * maximumNameLength;

/**
 * Reads the attributes of a tag, `key="value"` or `key='value'`, behind whose name the window stands,
 * and its end. What is no attribute is told, and the result is undefined.
 */
export function* readAttributes(
  answer: Answer,
  tagEnd: TokenTable,
  decode?: (raw: string) => string,
): Reading<ReadonlyMap<string, string> | undefined> {
  const { window } = answer;
  const attributes = new Map<string, string>();
  for (;;) {
    yield* skipSpace(window);
    const end = yield* peekToken(window, tagEnd);
    if (end) {
      window.index += end.length;
      return attributes;
    }
    const key = yield* readLabel(answer, nameEnds, undefined, '=');
    if (key === undefined) return undefined;
    window.index += 1;
    const quote = yield* skipSpace(window);
    if (quote !== '"' && quote !== "'") {
      failHere(answer, quote, 'a quoted value');
      return undefined;
    }
    window.index += 1;
    const from = window.position;
    const closing = yield* seekToken(window, quote === '"' ? doubleQuote : singleQuote, maximumValueLength);
    const to = window.position;
    if (!closing) {
      // The character behind the longest value may not be there yet, so it is not told.
      if (to - from > maximumValueLength) answer.fail('bad-name', 'an attribute is too long', to);
      else answer.fail('truncated', quote, to);
      return undefined;
    }
    const raw = window.slice(from, to);
    attributes.set(key, decode ? decode(raw) : raw);
    window.index += 1;
  }
}
