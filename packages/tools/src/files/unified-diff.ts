import { clipText } from '@talaria/core';
import { createTwoFilesPatch } from 'diff';

/** Characters of a diff that are shown. */
const maxDiffChars = 20_000;
/** A diff that takes longer than this is left out: it is only for the eye. */
const timeoutMs = 1_000;

/** A change of one file; `null` for the side that does not exist. */
export interface FileChange {
  /** As it is shown. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The changes as one unified diff with three lines of context; `undefined` where it would take too long. */
export function unifiedDiff(changes: readonly FileChange[]): string | undefined {
  const parts: string[] = [];
  for (const { path, before, after } of changes) {
    const part = createTwoFilesPatch(
      before === null ? '/dev/null' : `a/${path.replace(/^\//, '')}`,
      after === null ? '/dev/null' : `b/${path.replace(/^\//, '')}`,
      before ?? '',
      after ?? '',
      undefined,
      undefined,
      { context: 3, timeout: timeoutMs },
    );
    if (part === undefined) return undefined;
    parts.push(part.replace(/^=+\n/, ''));
  }
  return clipText(parts.join(''), maxDiffChars).text;
}
