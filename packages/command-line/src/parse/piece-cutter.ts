import { isInsidePair } from './inside-pair.ts';

/** Cuts a text that arrives in pieces of any length into pieces of one length. */
export interface PieceCutter {
  /** The pieces that are complete by now. To be read to the end before the next call. */
  cut(text: string): Iterable<string>;
  /** What is left at the end. */
  rest(): string;
}

/** Pieces have `length` UTF-16 units, and one more where they would end inside a character; with `null` they stay. */
export function createPieceCutter(length: number | null): PieceCutter {
  let held = '';
  return {
    *cut(text) {
      if (length === null) {
        yield text;
        return;
      }
      const all = held + text;
      let start = 0;
      for (let end = pieceEnd(all, 0, length); end <= all.length; end = pieceEnd(all, start, length)) {
        yield all.slice(start, end);
        start = end;
      }
      held = all.slice(start);
    },
    rest: () => held,
  };
}

function pieceEnd(text: string, start: number, length: number): number {
  const end = start + length;
  return isInsidePair(text, end) ? end + 1 : end;
}
