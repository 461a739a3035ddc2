import { clipText } from '@talaria/core';
import { formatPatch, structuredPatch } from 'diff';
import { changedPart } from './changed-part.ts';

/** Characters of a diff that are shown. */
const maxDiffChars = 20_000;
/** A diff that takes longer than this, over all files, is left out: it is only for the eye, and nothing else runs meanwhile. */
const timeoutMs = 1_000;
const contextLines = 3;

/** A change of one file; `null` for the side that does not exist. */
export interface FileChange {
  /** As it is shown. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * The changes as one unified diff with three lines of context; `undefined` where it would take too long by `now`, in
 * milliseconds.
 */
export function unifiedDiff(changes: readonly FileChange[], now = (): number => performance.now()): string | undefined {
  const endAtMs = now() + timeoutMs;
  const parts: string[] = [];
  for (const { path, before, after } of changes) {
    const leftMs = endAtMs - now();
    if (leftMs <= 0) return undefined;
    const part = changedPart(before ?? '', after ?? '', contextLines);
    const patch = structuredPatch(
      before === null ? '/dev/null' : `a/${path.replace(/^\//, '')}`,
      after === null ? '/dev/null' : `b/${path.replace(/^\//, '')}`,
      part.before,
      part.after,
      undefined,
      undefined,
      { context: contextLines, timeout: leftMs },
    );
    if (patch === undefined) return undefined;
    const hunks = patch.hunks.map((hunk) => ({
      ...hunk,
      oldStart: hunk.oldStart + part.skippedLines,
      newStart: hunk.newStart + part.skippedLines,
    }));
    parts.push(formatPatch({ ...patch, hunks }).replace(/^=+\n/, ''));
  }
  return clipText(parts.join(''), maxDiffChars).text;
}
