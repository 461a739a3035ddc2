import { comparePaths } from './compare-paths.ts';
import type { FileQuery, SearchOutcome } from './search-engine.ts';

/** Files that are held, since only all of them can be put in order. */
export const maxFoundFiles = 100_000;

/** A file that fits a query. */
export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  /** When it was changed: larger is newer. */
  readonly modified: number;
}

/** The newest files of those that were found, newest first. */
export function newestFirst(
  files: readonly FoundFile[],
  { maxFiles }: FileQuery,
  limitReason: string | undefined,
): SearchOutcome<readonly string[]> {
  const ordered = files.toSorted(
    (left, right) => right.modified - left.modified || comparePaths(left.path, right.path),
  );
  const isFull = files.length >= maxFoundFiles;
  const reason = isFull ? 'files' : limitReason;
  return {
    ok: true,
    found: ordered.slice(0, maxFiles).map(({ path }) => path),
    isPartial: files.length > maxFiles || reason !== undefined,
    ...(reason === undefined ? {} : { limitReason: reason }),
  };
}
