import type { Answer } from '../stream/answer.ts';
import { readLabel } from '../stream/read-label.ts';
import { peekToken, type Reading } from '../text/reading.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { failHere } from '../text-call/fail-here.ts';
import { marker, skipMarker } from './marker.ts';

/** A tag, be it the start or the end of an element. */
export interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
}

const nameEnds: TokenTable = /* @__PURE__ */ createTokenTable(['>', '<']);

/** {@link brackets} tell start tags from end tags. */
export const brackets: TokenTable = /* @__PURE__ */ createTokenTable(['<', '</']);

/** Reads a tag. Undefined where there is none, which is told. */
export function* readTag(answer: Answer): Reading<Tag | undefined> {
  const { window } = answer;
  const bracket = (yield* skipMarker(window)) && (yield* peekToken(window, brackets));
  if (!bracket) {
    failHere(answer, bracket, `${marker}<`);
    return undefined;
  }
  window.index += bracket.length;
  const name = yield* readLabel(answer, nameEnds, undefined, '>');
  if (name === undefined) return undefined;
  window.index += 1;
  return { name, isEnd: bracket === '</' };
}
