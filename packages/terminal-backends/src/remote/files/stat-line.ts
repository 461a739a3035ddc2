import type { FileKind, FileStat } from '../../sandbox.ts';

const statLine = /^([0-9a-f]+) (\d+) (-?\d+) [-\d]+ [\d:]+(?:\.(\d+))?/;

/** By the type bits of a raw mode, the last twelve bits taken off. */
const kindOfType: Readonly<Record<number, FileKind>> = { 8: 'file', 4: 'directory', 10: 'symlink' };

/** Reads what `stat -c '%f %s %Y %y'` prints, by GNU or BusyBox; `null` where it is something else. */
export function readStatLine(line: string): FileStat | null {
  const [, rawMode, size, seconds, fraction = '0'] = statLine.exec(line) ?? [];
  if (rawMode === undefined) return null;
  const mode = Number.parseInt(rawMode, 16);
  return {
    kind: kindOfType[mode >> 12] ?? 'other',
    sizeBytes: Number(size),
    mode: mode & 0o7777,
    modifiedAt: Number(seconds) * 1_000 + Number(`0.${fraction}`) * 1_000,
  };
}
