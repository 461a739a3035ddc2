/**
 * The part of the streamed text that is still in use: the current piece, and what lies before it back to the point
 * where something undecided begins. Positions are offsets into the whole text. What is kept is never joined per delta,
 * only where a slice reaches back over it.
 */
export interface TextWindow {
  /** The piece that is being read. */
  source: string;
  /** How far `source` is read. */
  index: number;
  /** Position of `source[0]` in the whole text. */
  base: number;
  /** Only the text behind this position can be sliced and gone back to. */
  keptFrom: number;
  /** Whether no more text will come. */
  isOver: boolean;
  /** How far the whole text is read. */
  readonly position: number;
  /** Length of the whole text so far. */
  readonly end: number;
  /** Takes the next delta in. What of `source` was not read yet (a token in the making) stays in front of it. */
  append(delta: string): void;
  /** A stretch of the text, back to `keptFrom`. The cost grows with its distance to the end. */
  slice(from: number, to: number): string;
  /** Goes back to `position`. */
  rewind(position: number): void;
}

/** A window on a text that begins empty. */
export function createTextWindow(): TextWindow {
  /** The text between `keptFrom`, or a little before it, and `base`. */
  let kept: string[] = [];

  const window: TextWindow = {
    source: '',
    index: 0,
    base: 0,
    keptFrom: 0,
    isOver: false,
    get position() {
      return window.base + window.index;
    },
    get end() {
      return window.base + window.source.length;
    },
    append(delta) {
      const { source, index, base, keptFrom } = window;
      if (keptFrom >= base) kept = [];
      if (keptFrom < base + index) kept.push(source.slice(Math.max(keptFrom - base, 0), index));
      window.base += index;
      window.source = source.slice(index) + delta;
      window.index = 0;
    },
    slice(from, to) {
      const { source, base } = window;
      // Nothing is no reason to join what is kept, even where it lies far back.
      if (from >= base || from >= to) return source.slice(from - base, to - base);
      let start = base;
      let first = kept.length;
      while (start > from && first > 0) {
        first -= 1;
        start -= kept[first]?.length ?? 0;
      }
      const text = kept.slice(first).join('') + source.slice(0, Math.max(to - base, 0));
      return text.slice(from - start, to - start);
    },
    rewind(position) {
      // Only what lies behind the position is joined: a piece that grew with each return would cost more each time.
      while (position < window.base) {
        const piece = kept.pop();
        if (piece === undefined) break;
        const from = Math.max(piece.length - (window.base - position), 0);
        if (from > 0) kept.push(piece.slice(0, from));
        window.source = piece.slice(from) + window.source;
        window.base -= piece.length - from;
      }
      window.index = position - window.base;
    },
  };
  return window;
}
