import { skipWhiteSpace } from './white-space.ts';

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
  /** Whether no more text will come. */
  isOver: boolean;
  /** How far the whole text is read. */
  readonly position: number;
  /** Length of the whole text so far. */
  readonly end: number;
  /** Whether `source` is read to its end. */
  readonly isRead: boolean;
  /** Goes to the next character of `source` that is no white space. */
  skipWhiteSpace(): void;
  /**
   * The first index from `from` on where `source` has a back-slash, or its length. What was searched is remembered, since
   * many short strings may lie before one back-slash far away.
   */
  findBackslash(from: number): number;
  /** Takes the next delta in. What of `source` was not read yet (a token in the making) stays in front of it. */
  append(delta: string): void;
  /** From now on only the text behind `position` can be sliced and gone back to. */
  keepFrom(position: number): void;
  /** A stretch of the text, back to where {@link keepFrom} began. The cost grows with its distance to the end. */
  slice(from: number, to: number): string;
  /** Goes back to `position`, where what is kept then begins. */
  rewind(position: number): void;
}

/** A window on a text that begins empty. */
export function createTextWindow(): TextWindow {
  let keptFrom = 0;
  /** The text between `keptFrom`, or a little before it, and `base`. */
  let kept: string[] = [];
  /** From where to where `source` has no back-slash. */
  let clearFrom = 0;
  let clearTo = -1;

  const window: TextWindow = {
    source: '',
    index: 0,
    base: 0,
    isOver: false,
    get position() {
      return window.base + window.index;
    },
    get end() {
      return window.base + window.source.length;
    },
    get isRead() {
      return window.index === window.source.length;
    },
    skipWhiteSpace() {
      window.index = skipWhiteSpace(window.source, window.index);
    },
    findBackslash(from) {
      if (from < clearFrom || from > clearTo) {
        const found = window.source.indexOf('\\', from);
        clearFrom = from;
        clearTo = found < 0 ? window.source.length : found;
      }
      return clearTo;
    },
    append(delta) {
      const { source, index, base } = window;
      const isRead = index === source.length;
      if (keptFrom < base + index) kept.push(source.slice(Math.max(keptFrom - base, 0), index));
      window.base += index;
      window.source = isRead ? delta : source.slice(index) + delta;
      window.index = 0;
      clearTo = -1;
    },
    keepFrom(position) {
      keptFrom = position;
      if (position >= window.base) kept = [];
    },
    slice(from, to) {
      const { source, base } = window;
      if (from >= base) return source.slice(from - base, to - base);
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
      if (position < window.base) {
        window.source = window.slice(position, window.end);
        window.base = position;
        clearTo = -1;
      }
      window.index = position - window.base;
      window.keepFrom(position);
    },
  };
  return window;
}
