import { type Reading, seekToken, skipSpace } from '../text/reading.ts';
import type { TokenTable } from '../text/token-table.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import type { Answer } from './answer.ts';
import { maximumNameLength } from './call-limits.ts';

/** Longest label: a name and what may stand around it. */
const maximumLabelLength = 2 * maximumNameLength;

/**
 * Reads plain text, such as a name, up to a token of `ends`, where the window then stands: without white space around
 * it. Where `wanted` is given, it must be that token. Otherwise that is told, reading goes on at `resumeAt`, or where the
 * window stands, and the result is undefined.
 */
export function* readLabel(
  answer: Answer,
  ends: TokenTable,
  resumeAt?: number,
  wanted?: string,
): Reading<string | undefined> {
  const { window } = answer;
  yield* skipSpace(window);
  const from = window.position;
  const token = yield* seekToken(window, ends, maximumLabelLength);
  const to = window.position;
  if (token && token === (wanted ?? token)) return trimWhiteSpace(window.slice(from, to));
  // The character behind the longest label may not be there yet, so it is not told.
  if (to - from > maximumLabelLength) answer.fail('bad-name', 'the name is too long', resumeAt ?? to);
  else answer.fail(token ? 'bad-structure' : 'truncated', wanted ?? 'a name', resumeAt ?? to);
  return undefined;
}
