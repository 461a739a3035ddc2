import { isInteractive, parseSnapshotLine, type SnapshotLine } from './snapshot-line.ts';

/** A snapshot as the model sees it. */
export interface ShapedSnapshot {
  readonly text: string;
  /** Elements that something can be done with. */
  readonly elementCount: number;
}

/** States that say nothing to a model. */
const mutedStates: ReadonlySet<string> = new Set(['[active]', '[cursor=pointer]']);

/**
 * Shapes what a driver gives. In full: all lines. Otherwise only what tells something: containers without a name fall away,
 * their content moves up, and refs stay where something can be done.
 */
export function shapeSnapshot(raw: string, isFull: boolean): ShapedSnapshot {
  const lines = raw.split('\n').filter((line) => line.trim() !== '');
  const parsed = lines.map(parseSnapshotLine);
  const elementCount = parsed.filter(isInteractive).length;
  return { text: (isFull ? lines : compact(parsed)).join('\n'), elementCount };
}

function compact(lines: readonly SnapshotLine[]): string[] {
  const kept: string[] = [];
  // For each level of the raw snapshot that is open: how many kept lines are above.
  const open: { readonly depth: number; readonly level: number }[] = [];
  for (const [index, line] of lines.entries()) {
    for (let top = open.at(-1); top !== undefined && top.depth >= line.depth; top = open.at(-1)) open.pop();
    const level = open.at(-1)?.level ?? 0;
    const hasChildren = (lines[index + 1]?.depth ?? 0) > line.depth;
    const isShown = tells(line, hasChildren);
    if (isShown) kept.push(writeLine(line, level, hasChildren));
    open.push({ depth: line.depth, level: isShown ? level + 1 : level });
  }
  return kept;
}

/** Roles that only group what is inside. */
const groupRoles: ReadonlySet<string> = new Set(['generic', 'rowgroup', 'group', 'presentation', 'none']);

function tells(line: SnapshotLine, hasChildren: boolean): boolean {
  if (line.role === null || line.role === 'text' || isInteractive(line)) return true;
  if (line.name !== '' || line.text !== '') return true;
  return hasChildren && !groupRoles.has(line.role);
}

function writeLine(line: SnapshotLine, level: number, hasChildren: boolean): string {
  const indent = '  '.repeat(level);
  if (line.role === null) return `${indent}- ${line.text}`;
  const isPlain = line.role === 'text' || (line.role === 'generic' && line.name === '' && !isInteractive(line));
  if (isPlain) return `${indent}- text: ${line.text}`.trimEnd();
  const ref = isInteractive(line) ? `[ref=${line.ref}]` : '';
  const states = line.states.filter((state) => !mutedStates.has(state));
  const head = [line.role, line.name, ...states, ref].filter((part) => part !== '').join(' ');
  if (line.text !== '') return `${indent}- ${head}: ${line.text}`;
  return `${indent}- ${head}${hasChildren ? ':' : ''}`;
}
