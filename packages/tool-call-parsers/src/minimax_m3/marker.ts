import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';

/** What stands before each tag. */
export const marker = ']<]minimax[>[';

/** A table of {@link marker} alone. */
export const markers: TokenTable = /* @__PURE__ */ createTokenTable([marker]);

/** Goes behind a marker and the white space around it, and gives it. Else undefined, or empty where the text ends. */
export function* skipMarker(window: TextWindow): Reading<string | undefined> {
  yield* skipSpace(window);
  const found = yield* peekToken(window, markers);
  if (found) {
    window.index += found.length;
    yield* skipSpace(window);
  }
  return found;
}
