import type { Answer } from '../stream/answer.ts';
import { readLabel } from '../stream/read-label.ts';
import { peekToken, type Reading } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import { createTokenTable, type TokenTable } from '../text/token-table.ts';
import { failHere } from '../text-call/fail-here.ts';
import { marker, skipMarker } from './marker.ts';

/** What a call goes on with: a tag, and maybe what stands behind it. */
export interface Part {
  readonly name: string;
  readonly isEnd: boolean;
  /** Whether an element begins with another one; undefined where that is not known yet. */
  readonly isParent?: boolean | undefined;
  /** All of the text of an element. */
  readonly text?: string | undefined;
}

const space = '[ \\t\\r\\n]*';
const escapedMarker = ']<]minimax\\[>\\[';
const tagStart = `${space}${escapedMarker}${space}<`;
/**
 * An end tag; or a start tag before another one; or a start tag, text, and the end tag before another tag. That is read
 * ten times faster in one piece than bit by bit.
 */
const wholePart: RegExp = /* @__PURE__ */ new RegExp(
  `${tagStart}(?:/([^\\s<>]{1,256})>|([^\\s<>/][^\\s<>]{0,255})>(?:(?=${tagStart}[^/])|([^]*?)${escapedMarker}${space}</\\2>${space}(?=${escapedMarker})))`,
  'y',
);
const nameEnds: TokenTable = /* @__PURE__ */ createTokenTable(['>', '<']);

/** {@link brackets} tell start tags from end tags. */
export const brackets: TokenTable = /* @__PURE__ */ createTokenTable(['<', '</']);

/** The part where the window stands, if it is there in one piece and ends before `limit`: the window then stands behind it. */
export function takePart(window: TextWindow, limit: number): Part | undefined {
  wholePart.lastIndex = window.index;
  const found = wholePart.exec(window.source);
  if (!found || window.base + wholePart.lastIndex >= limit) return undefined;
  window.index = wholePart.lastIndex;
  const end = found[1];
  const text = found[3];
  return { name: end ?? found[2] ?? '', isEnd: end !== undefined, isParent: text === undefined, text };
}

/** Reads a part up to the end of its tag. Undefined where there is none, which is told. */
export function* readTag(answer: Answer): Reading<Part | undefined> {
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
