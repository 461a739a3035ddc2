import type { Clock } from '@talaria/core';
import type { SearchRoots } from './search-roots.ts';

/** What is searched, and how much of it is wanted. */
export interface SearchScope extends SearchRoots {
  /** Absolute path of a folder or a file. */
  readonly root: string;
  /** Only files whose name, or relative path where the glob has a slash, fits. */
  readonly fileGlob: string | undefined;
  /** Whether hidden files count: they do where the root itself is hidden. */
  readonly includeHidden: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A search for lines. */
export interface ContentQuery extends SearchScope {
  /** A regular expression in the engine's dialect. */
  readonly pattern: string;
  /** Lines shown before and after each match. */
  readonly contextLines: number;
  /** Matches after which the engine may stop. */
  readonly maxMatches: number;
}

/** A search for files, newest first. */
export interface FileQuery extends SearchScope {
  readonly glob: string;
  readonly maxFiles: number;
}

/** One line that was found, or stands near one. */
export interface SearchHit {
  /** Absolute. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly content: string;
  readonly isContext: boolean;
}

/** Outcome of a search. `isPartial`: it stopped early, so there may be more. */
export type SearchOutcome<Found> =
  | { readonly ok: true; readonly found: Found; readonly isPartial: boolean; readonly limitReason?: string | undefined }
  | { readonly ok: false; readonly message: string };

/** One way of searching a sandbox. */
export interface SearchEngine {
  readonly name: 'ripgrep' | 'grep' | 'builtin';
  searchContent(query: ContentQuery): Promise<SearchOutcome<readonly SearchHit[]>>;
  /** Lines that match, by file; files without any are left out. Ordered by path. */
  countMatches(
    query: Omit<ContentQuery, 'contextLines' | 'maxMatches'>,
  ): Promise<SearchOutcome<ReadonlyMap<string, number>>>;
  /** Absolute paths, newest first. */
  findFiles(query: FileQuery): Promise<SearchOutcome<readonly string[]>>;
}

/** Longest time of one search. */
export const searchTimeoutMs = 60_000;
