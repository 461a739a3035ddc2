/** A piece of text and where it stands: `[start, end)`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A replacement of one span. */
export interface TextEdit extends TextSpan {
  readonly text: string;
}

/** A text with line feeds only, and the way back to the text as it is in the file. */
export interface NormalizedText {
  readonly text: string;
  /** Applies edits that were found in `text` to the original: what they do not touch keeps its line endings. */
  apply(edits: readonly TextEdit[]): string;
}

/** Reads CR LF as LF for matching. New text gets the line ending that most of the file has. */
export function normalizeText(original: string): NormalizedText {
  const text = original.replaceAll('\r\n', '\n');
  const returns = carriageReturns(original);
  const usesCrlf = returns.length > 0 && returns.length * 2 > countBreaks(text);

  /** Position in the original: every CR dropped before it counts. */
  function originalPosition(position: number): number {
    let low = 0;
    let high = returns.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((returns[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return position + low;
  }

  return {
    text,
    apply(edits) {
      const ordered = [...edits].sort((left, right) => left.start - right.start);
      let result = '';
      let at = 0;
      for (const edit of ordered) {
        result += original.slice(at, originalPosition(edit.start));
        result += usesCrlf ? edit.text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n') : edit.text;
        at = originalPosition(edit.end);
      }
      return result + original.slice(at);
    },
  };
}

/** Number of line feeds. */
export function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** For each CR LF, where its LF stands in the normalized text. */
function carriageReturns(original: string): readonly number[] {
  const positions: number[] = [];
  for (let at = original.indexOf('\r\n'); at !== -1; at = original.indexOf('\r\n', at + 2)) {
    positions.push(at - positions.length);
  }
  return positions;
}

/** The lines of a text with their places. A final line break starts no line. */
export function linesOf(text: string): readonly TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  while (start < text.length) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak === -1 ? text.length : lineBreak;
    lines.push({ text: text.slice(start, end), start, end });
    start = end + 1;
  }
  return lines;
}

/** A text that is searched in several ways: its lines are found once. */
export interface SearchedText {
  readonly text: string;
  readonly lines: () => readonly TextLine[];
}

/** Wraps a text for searching. */
export function createSearchedText(text: string): SearchedText {
  let lines: readonly TextLine[] | undefined;
  return {
    text,
    lines() {
      lines ??= linesOf(text);
      return lines;
    },
  };
}

/** One line without its break. */
export interface TextLine extends TextSpan {
  readonly text: string;
}

/** 1-based numbers of the lines in which positions lie; these in order. One pass, since there may be very many. */
export function lineNumbersAt(text: string, positions: readonly number[]): readonly number[] {
  let line = 1;
  let at = text.indexOf('\n');
  return positions.map((position) => {
    for (; at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line += 1;
    return line;
  });
}
