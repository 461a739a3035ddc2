import { contentEnd, skipWhiteSpace } from '../text/white-space.ts';

/**
 * Writes text in segments: white space at the ends of each vanishes, blank ones leave nothing, the others are joined by
 * line feeds. It holds back white space that may still vanish, nothing else.
 */
export interface SegmentWriter {
  /** What is certain of the text now. */
  write(text: string): string;
  endSegment(): void;
}

/** A writer for one stream. */
export function createSegmentWriter(): SegmentWriter {
  /** White space that text of the same segment, or nothing, follows. */
  let space = '';
  let hasText = false;
  let isAtStart = true;

  return {
    write(text) {
      const start = isAtStart ? skipWhiteSpace(text, 0) : 0;
      const end = contentEnd(text, start);
      let certain = '';
      if (end > start) {
        certain = (isAtStart && hasText ? '\n' : '') + space + text.slice(start, end);
        space = '';
        hasText = true;
        isAtStart = false;
      }
      if (!isAtStart) space += text.slice(end);
      return certain;
    },
    endSegment() {
      space = '';
      isAtStart = true;
    },
  };
}
