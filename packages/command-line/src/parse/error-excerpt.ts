import { cellAt, type DisplayCell } from './display-cell.ts';

/** What of a text is marked, in UTF-16 units. */
export interface MarkedSpan {
  readonly start: number;
  /** Behind the last unit. */
  readonly end: number;
}

/** How an excerpt is made. */
export interface ExcerptOptions {
  /** Which of its ends the span is shown at; the other is shown where there is room for it. */
  readonly at: 'start' | 'end';
  /** Widest line. */
  readonly columns: number;
}

/** A line of a text, and what stands below it. */
export interface Excerpt {
  readonly line: string;
  /** Spaces, then `^` below the end of the span that is shown, and `~` below the rest of it. */
  readonly marks: string;
  /** Whether all of the span is marked. */
  readonly isWhole: boolean;
}

/** Stands for what is cut off. Three points, since the width of an ellipsis differs from terminal to terminal. */
const cut = '...';

/** Of the columns, the side of the caret on which the span goes on has this part. */
const spanShare = 2 / 3;

/** The least that comes from the caret on: the longest name of a character, and a cut. */
const minShare = '<U+10FFFF>'.length + cut.length;

/** Narrowest excerpt: that, and something beside it. */
const minColumns = 20;

/** Most marks without a width of their own that one side shows: they can pile up without end. */
const maxMarks = 40;

/**
 * The line in which a span begins or ends, clipped to `columns` around that place, with marks below what can be seen of
 * the span. Nothing that is shown acts on a terminal. However long the line is, little of it is looked at.
 */
export function renderExcerpt(text: string, span: MarkedSpan, { at, columns }: ExcerptOptions): Excerpt {
  const budget = Math.max(minColumns, columns);
  const caret = caretOffset(text, at === 'start' ? span.start : Math.max(span.start, span.end - 1));
  const before = readBefore(text, caret, budget);
  const after = readAfter(text, caret, budget);
  const share = Math.max(minShare, Math.round(budget * (at === 'start' ? spanShare : 1 - spanShare)));
  // A side has what the other does not need, and the caret has room behind the end of the line.
  const needed = Math.min(widthNeeded(after), Math.max(share, budget - widthNeeded(before)));
  const left = clip(before, budget - Math.max(1, needed));
  const right = clip(after, budget - widthNeeded(left));
  const cells = [...left.cells.toReversed(), ...right.cells];
  const shownEnd = cells.at(-1)?.end ?? caret;
  return {
    line: `${left.isCut ? cut : ''}${cells.map(({ shown }) => shown).join('')}${right.isCut ? cut : ''}`,
    marks: `${left.isCut ? ' '.repeat(cut.length) : ''}${renderMarks(cells, span, caret)}`,
    // White space that is left out is not worth another line.
    isWhole: text.slice(shownEnd, span.end).trim() === '',
  };
}

function renderMarks(cells: readonly DisplayCell[], span: MarkedSpan, caret: number): string {
  const marks = cells.map(({ start, end, width }) => {
    const mark = end > span.start && start < span.end ? '~' : ' ';
    return start === caret ? `^${mark.repeat(Math.max(0, width - 1))}` : mark.repeat(width);
  });
  // Behind the last character stands no cell.
  const isBehind = cells.every(({ start }) => start < caret);
  return isBehind ? `${marks.join('')}^` : marks.join('').trimEnd();
}

/** The characters on one side of the place, the nearest first. */
interface Side {
  readonly cells: readonly DisplayCell[];
  /** Whether more follows before the line ends. */
  readonly isCut: boolean;
}

/** Where the caret belongs: before the whole line end, and at the letter that a mark stands on. */
function caretOffset(text: string, start: number): number {
  let offset = Math.max(0, Math.min(start, text.length));
  if (offset > 0 && text.startsWith('\r\n', offset - 1)) offset -= 1;
  for (let count = 0; count < maxMarks && offset > 0 && isMark(text, offset); count += 1) {
    offset = cellAt(text, offset - 1).start;
  }
  return offset < text.length ? cellAt(text, offset).start : offset;
}

function isMark(text: string, offset: number): boolean {
  return offset < text.length && text[offset - 1] !== '\n' && cellAt(text, offset).width === 0;
}

function readBefore(text: string, caret: number, budget: number): Side {
  let offset = caret;
  return readSide(budget, () => {
    if (offset === 0 || text[offset - 1] === '\n') return undefined;
    const cell = cellAt(text, offset - 1);
    offset = cell.start;
    return cell;
  });
}

function readAfter(text: string, caret: number, budget: number): Side {
  let offset = caret;
  return readSide(budget, () => {
    if (offset >= text.length || text[offset] === '\n' || text.startsWith('\r\n', offset)) return undefined;
    const cell = cellAt(text, offset);
    offset = cell.end;
    return cell;
  });
}

/** Reads to the end of the line, or until there is more than can be shown. */
function readSide(budget: number, next: () => DisplayCell | undefined): Side {
  const cells: DisplayCell[] = [];
  let width = 0;
  let markCount = 0;
  for (let cell = next(); cell !== undefined; cell = next()) {
    if (width > budget || markCount >= maxMarks) return { cells, isCut: true };
    cells.push(cell);
    width += cell.width;
    if (cell.width === 0) markCount += 1;
  }
  return { cells, isCut: false };
}

/** As much of a side as fits. */
function clip(side: Side, columns: number): Side {
  if (widthNeeded(side) <= columns) return side;
  let width = cut.length;
  const tooFar = side.cells.findIndex((cell) => {
    width += cell.width;
    return width > columns;
  });
  return { cells: side.cells.slice(0, Math.max(0, tooFar)), isCut: true };
}

function widthNeeded({ cells, isCut }: Side): number {
  return widthOf(cells) + (isCut ? cut.length : 0);
}

function widthOf(cells: readonly DisplayCell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}
