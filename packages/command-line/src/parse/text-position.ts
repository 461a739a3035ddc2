import { isInsidePair } from './inside-pair.ts';

/** A place in a text, as people name it. */
export interface TextPosition {
  /** Counts from 1. A line ends with a line feed. */
  readonly line: number;
  /** Counts from 1, in Unicode characters. */
  readonly column: number;
}

/** Finds the line and the column of offsets. Asked in the order of the text, it looks at each character once. */
export function createPositionFinder(text: string): (offset: number) => TextPosition {
  let position = 0;
  let line = 1;
  let column = 1;

  return (offset) => {
    if (offset < position) {
      position = 0;
      line = column = 1;
    }
    for (; position < offset; position += 1) {
      if (text[position] === '\n') {
        line += 1;
        column = 1;
      } else if (!isInsidePair(text, position)) column += 1;
    }
    return { line, column };
  };
}
