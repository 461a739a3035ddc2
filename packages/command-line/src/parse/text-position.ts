import { isInsidePair } from './inside-pair.ts';

/** A place in a text, as people name it. */
export interface TextPosition {
  /** Counts from 1. A line ends with a line feed. */
  readonly line: number;
  /** Counts from 1, in Unicode characters. */
  readonly column: number;
}

/** Finds the line and the column of offsets; quickest where they are asked for in the order of the text. */
export function createPositionFinder(text: string): (offset: number) => TextPosition {
  let line = 1;
  let lineStart = 0;
  let counted = 0;
  let characters = 0;

  return (offset) => {
    if (offset < counted) {
      line = 1;
      lineStart = counted = characters = 0;
    }
    for (let end = text.indexOf('\n', lineStart); end >= 0 && end < offset; end = text.indexOf('\n', lineStart)) {
      line += 1;
      lineStart = counted = end + 1;
      characters = 0;
    }
    for (; counted < offset; counted += 1) {
      if (!isInsidePair(text, counted)) characters += 1;
    }
    return { line, column: characters + 1 };
  };
}
