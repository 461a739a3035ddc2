import { toAscii } from './ascii-text.ts';
import { findRuns, type LineKey } from './line-blocks.ts';
import { unescapeText } from './match-strategies.ts';
import { type LineComparison, type NumberedLines, numberLines, type PatchBudget } from './numbered-lines.ts';
import type { Hunk } from './parse-patch.ts';
import { linesOf, type TextLine } from './text-edit.ts';

/** A text in which hunks are located, one after another. */
export interface HunkSearch {
  readonly text: string;
  readonly lines: readonly TextLine[];
  /** First line that a hunk may touch: behind those of the hunk before. */
  readonly fromLine: number;
  /** Whether the text, with the edits so far, ends without a line break. */
  readonly isOpenEnded: boolean;
  /** The lines as a comparison sees them, numbered when first asked for. */
  readonly numbersFor: (comparison: LineComparison) => NumberedLines;
  /** From which all that is looked at is taken. */
  readonly budget: PatchBudget;
}

/** What finding the lines of a text takes, for each of them. */
export const stepsPerNewLine = 15;
const stepsPerReadCharacter = 0.25;

/** Begins to locate hunks in a text: those that are given, one after another. */
export function beginHunkSearch(text: string, hunks: readonly Hunk[], budget: PatchBudget): HunkSearch {
  const lines = linesOf(text);
  budget.steps -= lines.length * stepsPerNewLine + text.length * stepsPerReadCharacter;
  const numbered = new Map<LineComparison, NumberedLines>();
  return {
    text,
    lines,
    fromLine: 0,
    isOpenEnded: text !== '' && !text.endsWith('\n'),
    numbersFor(comparison) {
      const known = numbered.get(comparison) ?? numberLines(lines, wantedOf(hunks, comparison), comparison, budget);
      numbered.set(comparison, known);
      return known;
    },
    budget,
  };
}

function wantedOf(hunks: readonly Hunk[], comparison: LineComparison): readonly string[] {
  return comparison === byHint ? hunks.map(({ hint }) => hint) : hunks.flatMap(oldLines);
}

/** Lines of a hunk that stand in the file before it. */
export function oldLines(hunk: Hunk): readonly string[] {
  return hunk.lines.filter(({ kind }) => kind !== 'add').map((line) => line.text);
}

const asIs: LineKey = (line) => line;

/** Ways of comparing lines, each looser than the one before: the match strategies that go by exact lines. */
export const comparisons: readonly LineComparison[] = [
  byKey(asIs),
  byKey((line) => line.trim()),
  byKey(collapse),
  { fileKey: asIs, patchKey: unescapeText },
  byKey((line) => toAscii(line).trim()),
];

/** How a line is compared with a hint. */
const byHint: LineComparison = { fileKey: (line) => line.trim(), patchKey: asIs };

function byKey(key: LineKey): LineComparison {
  return { fileKey: key, patchKey: key };
}

/** Where lines of the patch stand in the file, not before `from`. */
export function findLines(
  search: HunkSearch,
  comparison: LineComparison,
  wanted: readonly string[],
  from: number,
): readonly number[] {
  const { numbers, numberOf } = search.numbersFor(comparison);
  const sought: number[] = [];
  for (const line of wanted) {
    const number = numberOf(line);
    if (number === undefined) return [];
    sought.push(number);
  }
  search.budget.steps -= wanted.length + numbers.length - from;
  return findRuns(numbers, sought, from);
}

const stepsPerHeldLine = 10;
const stepsPerHeldCharacter = 0.1;

/** Lines that are the hint; where none is, lines that hold it. */
export function hintLines(search: HunkSearch, hint: string): readonly number[] {
  const { text, lines, fromLine, budget } = search;
  const whole = findLines(search, byHint, [hint], fromLine);
  if (whole.length > 0) return whole;
  const start = lines[fromLine]?.start ?? text.length;
  budget.steps -= (lines.length - fromLine) * stepsPerHeldLine + (text.length - start) * stepsPerHeldCharacter;
  return lines.flatMap((line, index) => (index >= fromLine && line.text.includes(hint) ? [index] : []));
}

function collapse(line: string): string {
  return (/\t| {2}/.test(line) ? line.replaceAll(/[ \t]+/g, ' ') : line).trim();
}
