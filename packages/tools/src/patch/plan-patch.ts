import { beginHunkSearch, stepsPerNewLine } from './hunk-search.ts';
import { locateHunk, searchBehind } from './locate-hunk.ts';
import type { PatchBudget } from './numbered-lines.ts';
import type { Hunk, PatchSection } from './parse-patch.ts';
import { countBreaks, normalizeText, type TextEdit } from './text-edit.ts';

/** A file as it is before the patch; `null` where there is none. */
export type ReadOriginal = (path: string) => Promise<string | null | { readonly problem: string }>;

/** What becomes of the files: path to text, `null` for a file that is removed. In the order of the patch. */
export type PlannedFiles = ReadonlyMap<string, PlannedFile>;

/** One file of a plan. */
export interface PlannedFile {
  readonly before: string | null;
  readonly after: string | null;
  /** Path whose format and mode it takes over, where it was moved. */
  readonly movedFrom?: string | undefined;
}

/** Outcome of {@link planPatch}: nothing is written where there is any error. */
export type PatchPlan =
  | { readonly ok: true; readonly files: PlannedFiles }
  | { readonly ok: false; readonly errors: readonly string[] };

/** Errors after which planning ends: to find that a part is nowhere takes several passes over the file. */
const maxErrors = 10;
/**
 * Steps that one patch may take: about a second, in which nothing else runs. A part that has begun is worked out to its
 * end: a single one may take longer in a very large file.
 */
const maxSteps = 100_000_000;

interface Planning {
  readonly read: ReadOriginal;
  readonly files: Map<string, PlannedFile>;
  readonly errors: string[];
  /** What is left of {@link maxSteps}. */
  readonly budget: PatchBudget;
  /** Whether a part was refused for what it would take. */
  isRefused: boolean;
}

/**
 * Works out a whole patch against the present files without writing anything. Sections of one file build on each other.
 * Tells at most ten errors.
 */
export async function planPatch(sections: readonly PatchSection[], read: ReadOriginal): Promise<PatchPlan> {
  const planning: Planning = { read, files: new Map(), errors: [], budget: { steps: maxSteps }, isRefused: false };
  for (const section of sections) {
    await planSection(planning, section);
    if (isOver(planning)) break;
  }
  const { errors, files } = planning;
  if (errors.length === 0) return { ok: true, files };
  return { ok: false, errors: errors.length < maxErrors ? errors : [...errors, 'There may be more.'] };
}

function isOver({ errors, isRefused }: Planning): boolean {
  return errors.length >= maxErrors || isRefused;
}

async function planSection(planning: Planning, section: PatchSection): Promise<void> {
  const { errors, files } = planning;
  const { path } = section;
  const current = await currentText(planning, path);
  if (current === undefined) return;
  if (section.kind === 'add') {
    if (current === null) change(files, path, section.content);
    else errors.push(`${path}: cannot be added, it exists. Use *** Update File.`);
  } else if (current === null) errors.push(`${path}: does not exist.`);
  else if (section.kind === 'delete') change(files, path, null);
  else if (section.kind === 'move') await planMove(planning, path, section.moveTo, current);
  else {
    const after = applyHunks(planning, path, current, section.hunks);
    if (section.moveTo === undefined) change(files, path, after);
    else await planMove(planning, path, section.moveTo, after);
  }
}

async function planMove(planning: Planning, from: string, to: string, text: string): Promise<void> {
  const target = await currentText(planning, to);
  if (target === undefined) return;
  if (target !== null) {
    planning.errors.push(`${from}: cannot be moved to ${to}, which exists.`);
    return;
  }
  change(planning.files, from, null);
  change(planning.files, to, text);
  const moved = planning.files.get(to);
  const origin = planning.files.get(from)?.movedFrom ?? from;
  if (moved !== undefined) planning.files.set(to, { ...moved, movedFrom: origin });
}

/** The file's text as the sections so far left it; `undefined` where it cannot be read, which is noted. */
async function currentText({ files, read, errors }: Planning, path: string): Promise<string | null | undefined> {
  const planned = files.get(path);
  if (planned !== undefined) return planned.after;
  const original = await read(path);
  if (typeof original === 'object' && original !== null) {
    errors.push(`${path}: ${original.problem}`);
    return undefined;
  }
  files.set(path, { before: original, after: original });
  return original;
}

function change(files: Map<string, PlannedFile>, path: string, after: string | null): void {
  const planned = files.get(path);
  files.set(path, { ...planned, before: planned?.before ?? null, after });
}

/** All hunks are located in the text as it was: each behind the one before, so their edits do not touch each other. */
function applyHunks(planning: Planning, path: string, original: string, hunks: readonly Hunk[]): string {
  const { errors, budget } = planning;
  const normalized = normalizeText(original);
  const { text } = normalized;
  const lineCount = countBreaks(text) + (text === '' || text.endsWith('\n') ? 0 : 1);
  // Each part is sought in what is behind the one before: half of the lines, on an average.
  if (budget.steps < lineCount * (stepsPerNewLine + hunks.length / 2)) {
    refuse(planning, path, lineCount);
    return original;
  }
  const edits: TextEdit[] = [];
  let search = beginHunkSearch(text, hunks, budget);
  for (const [index, hunk] of hunks.entries()) {
    if (budget.steps < 0 && index > 0) refuse(planning, path, lineCount);
    if (isOver(planning)) break;
    const located = locateHunk(search, hunk);
    if (located.ok) {
      edits.push(located.edit);
      search = searchBehind(search, located);
    } else errors.push(`${path}, part ${index + 1}: ${located.message}`);
  }
  return normalized.apply(edits);
}

function refuse(planning: Planning, path: string, lineCount: number): void {
  planning.errors.push(`${path}: the patch has too many parts for a file of ${lineCount} lines. Give fewer at a time.`);
  planning.isRefused = true;
}
