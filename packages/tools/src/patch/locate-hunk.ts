import { truncateText } from '@talaria/core';
import { toAscii } from './ascii-text.ts';
import { findRuns, type LineKey } from './line-blocks.ts';
import { unescapeText } from './match-strategies.ts';
import { type LineComparison, type NumberedLines, numberLines, type PatchBudget } from './numbered-lines.ts';
import type { Hunk, HunkLine } from './parse-patch.ts';
import { indentOf, reindent } from './replace-text.ts';
import { linesOf, type TextEdit, type TextLine } from './text-edit.ts';

/** Where a hunk goes, or why that is not known. */
export type LocatedHunk =
  | {
      readonly ok: true;
      readonly edit: TextEdit;
      /** Index of the first line behind the place. */
      readonly nextLine: number;
    }
  | { readonly ok: false; readonly message: string };

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

function oldLines(hunk: Hunk): readonly string[] {
  return hunk.lines.filter(({ kind }) => kind !== 'add').map((line) => line.text);
}

/** The search for the next hunk. */
export function searchBehind(search: HunkSearch, { edit, nextLine }: LocatedHunk & { readonly ok: true }): HunkSearch {
  const touchesEnd = edit.end === search.text.length;
  const isOpenEnded = touchesEnd ? edit.text !== '' && !edit.text.endsWith('\n') : search.isOpenEnded;
  return { ...search, fromLine: nextLine, isOpenEnded };
}

const asIs: LineKey = (line) => line;

/** Ways of comparing lines, each looser than the one before: the match strategies that go by exact lines. */
const comparisons: readonly LineComparison[] = [
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
function findLines(
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

/**
 * Finds the one place of a text that a hunk means, and the edit that it makes. Lines of context stay as they are in the
 * file. Blank lines of context at the end of the hunk may also stand for the end of the file.
 */
export function locateHunk(search: HunkSearch, hunk: Hunk): LocatedHunk {
  const { text, lines } = search;
  const wanted = oldLines(hunk);
  if (wanted.length === 0) return locateAddition(search, hunk);
  const behindHint = findBehindHint(search, wanted, hunk);
  const candidates = behindHint === undefined ? findCandidates(search, wanted, hunk) : [behindHint];
  if (candidates.length === 0) {
    const shorter = withoutBlankEnd(hunk.lines);
    if (shorter.length < hunk.lines.length) return locateHunk(search, { ...hunk, lines: shorter });
    return { ok: false, message: `these lines were not found: ${truncateText(wanted.slice(0, 3).join('\\n'), 200)}` };
  }
  const [first] = candidates;
  if (first === undefined || candidates.length > 1) {
    const numbers = candidates.slice(0, 10).map((index) => index + 1);
    return {
      ok: false,
      message: `the place is not unique: lines ${numbers.join(', ')}. Give more context, or a hint behind @@.`,
    };
  }
  return { ok: true, edit: hunkEdit(text, lines, first, hunk), nextLine: first + wanted.length };
}

function withoutBlankEnd(lines: readonly HunkLine[]): readonly HunkLine[] {
  const last = lines.findLastIndex(({ kind, text }) => kind !== 'context' || text.trim() !== '');
  return lines.slice(0, last + 1);
}

function findCandidates(search: HunkSearch, wanted: readonly string[], hunk: Hunk): readonly number[] {
  const { lines, fromLine } = search;
  const from = hunk.isAtEnd ? Math.max(fromLine, lines.length - wanted.length) : fromLine;
  for (const comparison of comparisons) {
    const found = findLines(search, comparison, wanted, from);
    if (found.length > 0) return found;
  }
  return [];
}

/**
 * The first place at or behind the line that the hint names, where only one line does: what stands there in looser form is
 * meant rather than what stands before it word for word.
 */
function findBehindHint(search: HunkSearch, wanted: readonly string[], hunk: Hunk): number | undefined {
  const hinted = hunk.hint === '' ? [] : hintLines(search, hunk.hint);
  const [only] = hinted;
  if (hinted.length !== 1 || only === undefined) return undefined;
  return findCandidates({ ...search, fromLine: only }, wanted, hunk)[0];
}

const stepsPerHeldLine = 10;
const stepsPerHeldCharacter = 0.1;

/** Lines that are the hint; where none is, lines that hold it. */
function hintLines(search: HunkSearch, hint: string): readonly number[] {
  const { text, lines, fromLine, budget } = search;
  const whole = findLines(search, byHint, [hint], fromLine);
  if (whole.length > 0) return whole;
  const start = lines[fromLine]?.start ?? text.length;
  budget.steps -= (lines.length - fromLine) * stepsPerHeldLine + (text.length - start) * stepsPerHeldCharacter;
  return lines.flatMap((line, index) => (index >= fromLine && line.text.includes(hint) ? [index] : []));
}

/** A hunk that only adds: behind the line of its hint, or at the end. */
function locateAddition(search: HunkSearch, hunk: Hunk): LocatedHunk {
  const { text, lines, isOpenEnded } = search;
  const added = hunk.lines.map((line) => line.text).join('\n');
  if (hunk.hint === '' || hunk.isAtEnd) {
    const edit = { start: text.length, end: text.length, text: `${isOpenEnded ? '\n' : ''}${added}\n` };
    return { ok: true, edit, nextLine: lines.length };
  }
  const hinted = hintLines(search, hunk.hint);
  const [only] = hinted;
  const line = only === undefined ? undefined : lines[only];
  if (hinted.length !== 1 || only === undefined || line === undefined) {
    const numbers = hinted.slice(0, 10).map((index) => index + 1);
    const found = numbers.length === 0 ? 'was not found' : `is not unique: lines ${numbers.join(', ')}`;
    return { ok: false, message: `the hint "${hunk.hint}" ${found}.` };
  }
  return { ok: true, edit: { start: line.end, end: line.end, text: `\n${added}` }, nextLine: only + 1 };
}

function hunkEdit(text: string, lines: readonly TextLine[], first: number, hunk: Hunk): TextEdit {
  const old = hunk.lines.filter(({ kind }) => kind !== 'add');
  const last = lines[first + old.length - 1];
  const start = lines[first]?.start ?? 0;
  const contentEnd = last?.end ?? start;
  const hasBreak = contentEnd < text.length;
  const shift = indentShift(lines, first, old);
  let index = first;
  const kept: string[] = [];
  for (const line of hunk.lines) {
    if (line.kind === 'add') kept.push(shift(line.text));
    else {
      if (line.kind === 'context') kept.push(lines[index]?.text ?? '');
      index += 1;
    }
  }
  // Whole lines with their breaks, so that removing all of them leaves no blank line.
  const end = hasBreak ? contentEnd + 1 : contentEnd;
  return { start, end, text: kept.length === 0 ? '' : kept.join('\n') + (hasBreak ? '\n' : '') };
}

/** How added lines must be indented where the file's lines are indented otherwise than the patch's. */
function indentShift(lines: readonly TextLine[], first: number, old: readonly HunkLine[]): (text: string) => string {
  const at = old.findIndex(({ text }) => text.trim() !== '');
  const from = indentOf(old[at]?.text ?? '');
  const to = indentOf(lines[first + at]?.text ?? '');
  return (text) => reindent(text, from, to);
}

function collapse(line: string): string {
  return (/\t| {2}/.test(line) ? line.replaceAll(/[ \t]+/g, ' ') : line).trim();
}
