import { truncateText } from '@talaria/core';
import { comparisons, findLines, type HunkSearch, hintLines, oldLines } from './hunk-search.ts';
import type { Hunk, HunkLine } from './parse-patch.ts';
import { indentOf, reindent } from './replace-text.ts';
import type { TextEdit, TextLine } from './text-edit.ts';

/** Where a hunk goes, or why that is not known. */
export type LocatedHunk =
  | {
      readonly ok: true;
      readonly edit: TextEdit;
      /** Index of the first line behind the place. */
      readonly nextLine: number;
    }
  | { readonly ok: false; readonly message: string };

/** The search for the next hunk. */
export function searchBehind(search: HunkSearch, { edit, nextLine }: LocatedHunk & { readonly ok: true }): HunkSearch {
  const touchesEnd = edit.end === search.text.length;
  const isOpenEnded = touchesEnd ? edit.text !== '' && !edit.text.endsWith('\n') : search.isOpenEnded;
  return { ...search, fromLine: nextLine, isOpenEnded };
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
