import type { Answer } from '../stream/answer.ts';
import { readLabel } from '../stream/read-label.ts';
import { isCallName } from '../text/call-name.ts';
import type { Reading } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';

/** What no name of a tool holds. */
export const nameEnds: TokenTable = /* @__PURE__ */ createTokenTable([...' \t\r\n<>{}[]()"\'`,;=']);

/**
 * Reads the name of a tool, behind white space, as far as its characters go; the window then stands behind it. Undefined
 * where there is none, which is told.
 */
export function* readName(answer: Answer): Reading<string | undefined> {
  const name = yield* readLabel(answer, nameEnds);
  if (name === undefined || isCallName(name)) return name;
  answer.fail('bad-name', `"${name}" is no name`, answer.window.position);
  return undefined;
}
