import type { Answer, CompletedCall } from '../stream/answer.ts';
import { maximumCallLength } from '../stream/call-limits.ts';
import { peekToken, type Reading, skipSpace } from '../text/reading.ts';
import type { TokenTable } from '../text/token-table.ts';
import { createJsonScanner } from './json-scanner.ts';
import { escapeControls } from './json-text.ts';
import { failJson, scanJson } from './scan-json.ts';

/** A call of which everything but the arguments was read. */
export interface NamedCall {
  /** Where the attempt began. */
  readonly start: number;
  readonly name: string;
  /** The id that the model gave it. */
  readonly id?: string | undefined;
  /** Where reading goes on if no arguments follow. */
  readonly resumeAt: number;
}

/**
 * Reads one JSON object, behind white space where the window stands, as the arguments of a call. The window then stands
 * behind it. A token of `ends` in its place, before which the window then stands, means `{}`. Where it is something else,
 * that is told, and the result is undefined.
 */
export function* readArgumentsObject(
  answer: Answer,
  { start, name, id, resumeAt }: NamedCall,
  ends?: TokenTable,
): Reading<CompletedCall | undefined> {
  const { window } = answer;
  const scanner = createJsonScanner();
  let drainedTo = Number.POSITIVE_INFINITY;
  /** Where the object ends, once that is known. */
  let to: number | undefined;
  let wasInString = false;
  answer.open(start, {
    name,
    id,
    drainArguments() {
      const end = to ?? window.position;
      if (end <= drainedTo) return '';
      const text = escapeControls(window.slice(drainedTo, end), wasInString);
      drainedTo = end;
      wasInString = scanner.isInString;
      return text;
    },
  });
  const opener = yield* skipSpace(window);
  const end = ends && (yield* peekToken(window, ends));
  if (end) return { name, id, arguments: '{}' };
  if (opener && opener !== '{') {
    answer.fail(end === '' ? 'truncated' : 'bad-structure', '{', resumeAt);
    return undefined;
  }
  const from = window.position;
  drainedTo = from;
  const stop = yield* scanJson(window, () => scanner.scan(window, from + maximumCallLength));
  to = window.position;
  if (stop === 'end') {
    const json = window.slice(from, to);
    return { name, id, arguments: scanner.hasControls ? escapeControls(json) : json };
  }
  failJson(answer, stop, opener ? scanner.expectation : '{', resumeAt);
  return undefined;
}
