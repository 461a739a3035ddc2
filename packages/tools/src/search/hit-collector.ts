import { comparePaths } from './compare-paths.ts';
import { heldLine, ownCopy } from './held-text.ts';
import type { ContentQuery, SearchHit } from './search-engine.ts';

/** Holds the first matches of a search by path and line, with their context, in whatever order they come. */
export interface HitCollector {
  add(hit: SearchHit): void;
  /** Matches that were added, held or not. */
  matchCount(): number;
  /** The first `maxMatches` in order, each with its context. */
  first(): readonly SearchHit[];
}

/** Opens a collector, which never holds more than twice the matches that are wanted. */
export function createHitCollector({
  maxMatches,
  contextLines,
}: Pick<ContentQuery, 'maxMatches' | 'contextLines'>): HitCollector {
  let held: SearchHit[] = [];
  let heldMatches = 0;
  let seenMatches = 0;
  /** The last match that counts, once more than enough were seen. */
  let last: SearchHit | undefined;

  function isBehindLast({ path, line, isContext }: SearchHit): boolean {
    if (last === undefined) return false;
    const order = comparePaths(path, last.path);
    return order === 0 ? line > last.line + (isContext ? contextLines : 0) : order > 0;
  }

  function dropRest(): void {
    held.sort((left, right) => comparePaths(left.path, right.path) || left.line - right.line);
    if (heldMatches <= maxMatches) return;
    last = held.filter(({ isContext }) => !isContext)[maxMatches - 1];
    held = held.filter((hit) => !isBehindLast(hit));
    heldMatches = maxMatches;
  }

  return {
    add(hit) {
      if (!hit.isContext) seenMatches += 1;
      if (isBehindLast(hit)) return;
      held.push({ ...hit, path: ownCopy(hit.path), content: heldLine(hit.content) });
      if (hit.isContext) return;
      heldMatches += 1;
      if (heldMatches >= 2 * maxMatches) dropRest();
    },
    matchCount: () => seenMatches,
    first() {
      dropRest();
      return held;
    },
  };
}
