/** One line of a hunk. */
export interface HunkLine {
  readonly kind: 'context' | 'remove' | 'add';
  readonly text: string;
}

/** One place of a file that is changed. */
export interface Hunk {
  /** What stands behind `@@`: a line near which the place is; `''` for none. */
  readonly hint: string;
  readonly lines: readonly HunkLine[];
  /** Whether the place is at the end of the file. */
  readonly isAtEnd: boolean;
}

/** What a patch does with one file. */
export type PatchSection =
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly moveTo: string | undefined;
      readonly hunks: readonly Hunk[];
    }
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'move'; readonly path: string; readonly moveTo: string };

/** Outcome of {@link parsePatch}. */
export type ParsedPatch =
  | { readonly ok: true; readonly sections: readonly PatchSection[] }
  | { readonly ok: false; readonly errors: readonly string[] };

const marker =
  /^\*\*\*\s*(Begin Patch|End Patch|Update File:|Add File:|Delete File:|Move File:|Move to:|End of File)\s*(.*)$/i;

/** Faults that are told; what is no patch at all has one in every line. */
const maxErrors = 10;

interface Source {
  readonly lines: readonly string[];
  at: number;
  readonly errors: string[];
}

/**
 * Parses a patch in the V4A form (`*** Begin Patch`, `*** Update File: path`, `@@ hint`, lines with ` `, `-`, `+`).
 * Tolerant: the outer markers may be missing, a line without prefix is context, a blank line is a blank line of context.
 * Never throws; what cannot mean anything is told with its line number.
 */
export function parsePatch(text: string): ParsedPatch {
  const lines = patchBody(text.replaceAll('\r\n', '\n'));
  const source: Source = { lines, at: 0, errors: [] };
  const sections: PatchSection[] = [];
  while (source.at < lines.length) {
    const section = readSection(source);
    if (section !== undefined) sections.push(section);
  }
  if (sections.length === 0 && source.errors.length === 0) {
    source.errors.push('The patch has no section. Start one with "*** Update File: path".');
  }
  return source.errors.length === 0 ? { ok: true, sections } : { ok: false, errors: firstErrors(source.errors) };
}

function firstErrors(errors: readonly string[]): readonly string[] {
  return errors.length <= maxErrors
    ? errors
    : [...errors.slice(0, maxErrors), `And ${errors.length - maxErrors} more.`];
}

/** What stands between the outer markers, or all of it. */
function patchBody(text: string): readonly string[] {
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => markerOf(line)?.name === 'begin patch');
  const end = lines.findIndex((line, index) => index > begin && markerOf(line)?.name === 'end patch');
  return lines.slice(begin + 1, end === -1 ? undefined : end);
}

function markerOf(line: string): { readonly name: string; readonly rest: string } | undefined {
  const match = marker.exec(line);
  if (match === null) return undefined;
  return { name: (match[1] ?? '').toLowerCase().replace(':', ''), rest: (match[2] ?? '').trim() };
}

function readSection(source: Source): PatchSection | undefined {
  const line = source.lines[source.at] ?? '';
  const lineNumber = source.at + 1;
  const found = markerOf(line);
  source.at += 1;
  if (found === undefined) {
    if (line.trim() !== '') source.errors.push(`Line ${lineNumber} belongs to no file: ${line.slice(0, 80)}`);
    return undefined;
  }
  const { name, rest } = found;
  if (name === 'begin patch' || name === 'end patch' || name === 'end of file') return undefined;
  const [path = '', moveTo] = name === 'move file' ? splitMove(rest) : [rest];
  if (path === '' || (name === 'move file' && !moveTo)) {
    source.errors.push(`Line ${lineNumber} names no path: ${line.slice(0, 80)}`);
    return undefined;
  }
  switch (name) {
    case 'update file':
      return readUpdate(source, path, lineNumber);
    case 'add file':
      return readAddition(source, path);
    case 'delete file':
      return { kind: 'delete', path };
    case 'move file':
      return { kind: 'move', path, moveTo: moveTo ?? '' };
    default:
      source.errors.push(`Line ${lineNumber} stands outside an update: ${line.slice(0, 80)}`);
      return undefined;
  }
}

/** `from -> to`. One blank on each side: a pattern that takes all of them takes for ever on a line of blanks. */
function splitMove(paths: string): readonly string[] {
  const arrow = /\s->\s/.exec(paths);
  if (arrow === null) return [paths];
  return [paths.slice(0, arrow.index).trim(), paths.slice(arrow.index + arrow[0].length).trim()];
}

function readUpdate(source: Source, path: string, lineNumber: number): PatchSection | undefined {
  let moveTo: string | undefined;
  const next = markerOf(source.lines[source.at] ?? '');
  if (next?.name === 'move to') {
    moveTo = next.rest === '' ? undefined : next.rest;
    source.at += 1;
  }
  const hunks: Hunk[] = [];
  while (source.at < source.lines.length && !startsSection(source.lines[source.at] ?? '')) {
    const hunk = readHunk(source);
    if (hunk !== undefined) hunks.push(hunk);
  }
  if (hunks.length === 0 && moveTo === undefined) {
    source.errors.push(`Line ${lineNumber}: the update of ${path} changes nothing. Give lines that start with - or +.`);
    return undefined;
  }
  return { kind: 'update', path, moveTo, hunks };
}

function startsSection(line: string): boolean {
  const name = markerOf(line)?.name;
  return name !== undefined && name !== 'end of file' && name !== 'move to';
}

function readHunk(source: Source): Hunk | undefined {
  const startedAt = source.at + 1;
  let hint = '';
  const first = source.lines[source.at] ?? '';
  if (first.startsWith('@@')) {
    hint = hintOf(first);
    source.at += 1;
  }
  const lines: HunkLine[] = [];
  let isAtEnd = false;
  let bareLines = 0;
  for (; source.at < source.lines.length; source.at += 1) {
    const line = source.lines[source.at] ?? '';
    if (line.startsWith('@@') || startsSection(line)) break;
    if (markerOf(line)?.name === 'end of file') {
      isAtEnd = true;
      source.at += 1;
      break;
    }
    if (line.startsWith('\\')) continue;
    lines.push(hunkLine(line));
    bareLines = line === '' ? bareLines + 1 : 0;
  }
  // Bare lines before a marker only separate.
  lines.length -= bareLines;
  if (lines.length === 0) {
    // A second `@@` line right behind narrows the place down; a hint alone at the end of a section is a mistake.
    if (hint !== '' && !(source.lines[source.at] ?? '').startsWith('@@')) {
      source.errors.push(`Line ${startedAt}: "@@ ${hint}" is followed by no lines.`);
    }
    return undefined;
  }
  if (lines.every(({ kind }) => kind === 'context')) {
    source.errors.push(`Line ${startedAt}: this part changes nothing. Mark lines with - or +.`);
    return undefined;
  }
  return { hint, lines, isAtEnd };
}

/** `@@ hint @@`, `@@ hint`, and positions of a unified diff, which count for nothing. */
function hintOf(line: string): string {
  const inner = line
    .slice(2)
    .replace(/@@\s*$/, '')
    .trim();
  const withoutRange = inner.replace(/^-\d+(?:,\d+)? \+\d+(?:,\d+)?(?: @@)?\s*/, '');
  return withoutRange;
}

function hunkLine(line: string): HunkLine {
  const text = line.slice(1);
  if (line.startsWith('-')) return { kind: 'remove', text };
  if (line.startsWith('+')) return { kind: 'add', text };
  return { kind: 'context', text: line.startsWith(' ') ? text : line };
}

function readAddition(source: Source, path: string): PatchSection {
  const content: string[] = [];
  for (; source.at < source.lines.length; source.at += 1) {
    const line = source.lines[source.at] ?? '';
    if (startsSection(line)) break;
    if (line.startsWith('+')) content.push(line.slice(1));
    else if (line.trim() !== '') {
      source.errors.push(`Line ${source.at + 1}: each line of the new file ${path} must start with +.`);
    }
  }
  return { kind: 'add', path, content: content.length === 0 ? '' : `${content.join('\n')}\n` };
}
