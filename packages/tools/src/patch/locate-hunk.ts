import { toAscii } from './ascii-text.ts';
import type { SameLine } from './line-blocks.ts';
import { unescapeText } from './match-strategies.ts';
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

/** Ways of comparing lines, each looser than the one before; the counterparts of the first seven match strategies. */
const comparisons: readonly SameLine[] = [
  (line, wanted) => line === wanted,
  (line, wanted) => line.trim() === wanted.trim(),
  (line, wanted) => collapse(line) === collapse(wanted),
  (line, wanted) => line === unescapeText(wanted),
  (line, wanted, index, count) =>
    index === 0 || index === count - 1 ? line.trim() === wanted.trim() : line === wanted,
  (line, wanted) => toAscii(line).trim() === toAscii(wanted).trim(),
];

/**
 * Finds the one place of a text that a hunk means, not before line `fromLine`, and the edit that it makes. Lines of
 * context stay as they are in the file.
 */
export function locateHunk(text: string, hunk: Hunk, fromLine: number): LocatedHunk {
  const lines = linesOf(text);
  const wanted = hunk.lines.filter(({ kind }) => kind !== 'add').map((line) => line.text);
  if (wanted.length === 0) return locateAddition(text, lines, hunk, fromLine);
  const candidates = findCandidates(lines, wanted, hunk, fromLine);
  if (candidates.length === 0) {
    return { ok: false, message: `these lines were not found: ${wanted.slice(0, 3).join('\\n').slice(0, 200)}` };
  }
  const first = candidates.length === 1 ? candidates[0] : byHint(lines, candidates, hunk, fromLine);
  if (first === undefined) {
    const numbers = candidates.map((index) => index + 1).slice(0, 10);
    return {
      ok: false,
      message: `the place is not unique: lines ${numbers.join(', ')}. Give more context, or a hint behind @@.`,
    };
  }
  return { ok: true, edit: hunkEdit(text, lines, first, hunk), nextLine: first + wanted.length };
}

function findCandidates(lines: readonly TextLine[], wanted: readonly string[], hunk: Hunk, fromLine: number): number[] {
  for (const isSame of comparisons) {
    const found: number[] = [];
    const firstStart = hunk.isAtEnd ? Math.max(fromLine, lines.length - wanted.length) : fromLine;
    for (let start = firstStart; start + wanted.length <= lines.length; start += 1) {
      if (wanted.every((line, index) => isSame(lines[start + index]?.text ?? '', line, index, wanted.length))) {
        found.push(start);
      }
    }
    if (found.length > 0) return found;
  }
  return [];
}

/** The first candidate at or behind the line that the hint names, where only one line does. */
function byHint(
  lines: readonly TextLine[],
  candidates: readonly number[],
  { hint }: Hunk,
  fromLine: number,
): number | undefined {
  const hinted = hint === '' ? [] : hintLines(lines, hint, fromLine);
  const [only] = hinted;
  return hinted.length === 1 && only !== undefined ? candidates.find((start) => start >= only) : undefined;
}

/** Lines that are the hint; where none is, lines that hold it. */
function hintLines(lines: readonly TextLine[], hint: string, fromLine: number): readonly number[] {
  const find = (fits: (line: string) => boolean): number[] =>
    lines.flatMap((line, index) => (index >= fromLine && fits(line.text) ? [index] : []));
  const whole = find((line) => line.trim() === hint);
  return whole.length > 0 ? whole : find((line) => line.includes(hint));
}

/** A hunk that only adds: behind the line of its hint, or at the end. */
function locateAddition(text: string, lines: readonly TextLine[], hunk: Hunk, fromLine: number): LocatedHunk {
  const added = hunk.lines.map((line) => line.text).join('\n');
  if (hunk.hint === '') {
    const lead = text === '' || text.endsWith('\n') ? '' : '\n';
    const edit = { start: text.length, end: text.length, text: `${lead}${added}\n` };
    return { ok: true, edit, nextLine: lines.length };
  }
  const hinted = hintLines(lines, hunk.hint, fromLine);
  const [only] = hinted;
  const line = only === undefined ? undefined : lines[only];
  if (hinted.length !== 1 || only === undefined || line === undefined) {
    const found =
      hinted.length === 0 ? 'was not found' : `is not unique: lines ${hinted.map((index) => index + 1).join(', ')}`;
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
  return line.replaceAll(/[ \t]+/g, ' ').trim();
}
