import { createContext, Script } from 'node:vm';
import { errorMessage } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { fileKindOf } from '../files/file-kind.ts';
import { decodeText, splitLines } from '../files/text-file.ts';
import { type FoundFile, newestFirst } from './found-file.ts';
import { heldLine } from './held-text.ts';
import { createPathFilter } from './path-filter.ts';
import type { ContentQuery, SearchEngine, SearchHit, SearchOutcome } from './search-engine.ts';
import { type FileWalk, isUnreachable, walkFiles } from './walk-files.ts';

const maxFileBytes = 1_048_576;
/** Longest line that a pattern is tried on. */
const maxLineChars = 10_000;
/** Time that a pattern gets for one file. */
const matchTimeoutMs = 500;
/** The same for all files of a search: nothing else runs meanwhile. */
const matchBudgetMs = 5_000;

/** Searches through the file interface of the sandbox, where it has neither ripgrep nor grep. */
export function createBuiltinEngine(sandbox: SandboxHandle): SearchEngine {
  return {
    name: 'builtin',
    async searchContent(query) {
      const matcher = createLineMatcher(query.pattern);
      if (!matcher.ok) return matcher;
      const hits: SearchHit[] = [];
      let matchCount = 0;
      const walk: FileWalk = { limitReason: undefined };
      for await (const { path, lines } of readTexts(query, sandbox, walk)) {
        const matched = matcher.match(lines);
        if (matched === null) return tooSlow(query.pattern);
        addHits(hits, path, lines, matched, { ...query, maxMatches: query.maxMatches - matchCount });
        matchCount += matched.length;
        if (matchCount >= query.maxMatches) return { ok: true, found: hits, isPartial: true };
      }
      return wholeOf(hits, walk);
    },
    async countMatches(query) {
      const matcher = createLineMatcher(query.pattern);
      if (!matcher.ok) return matcher;
      const counts = new Map<string, number>();
      const walk: FileWalk = { limitReason: undefined };
      for await (const { path, lines } of readTexts(query, sandbox, walk)) {
        const matched = matcher.match(lines);
        if (matched === null) return tooSlow(query.pattern);
        if (matched.length > 0) counts.set(path, matched.length);
      }
      return wholeOf(counts, walk);
    },
    async findFiles(query) {
      const fits = createPathFilter(query.root, query.glob);
      const files: FoundFile[] = [];
      const walk: FileWalk = { limitReason: undefined };
      for await (const path of walkFiles(query, sandbox, walk)) {
        if (!fits(path)) continue;
        const stat = await sandbox.stat(path, { signal: query.signal });
        if (stat !== null) files.push({ path, modified: stat.modifiedAt });
      }
      return newestFirst(files, query, walk.limitReason);
    },
  };
}

function wholeOf<Found>(found: Found, { limitReason }: FileWalk): SearchOutcome<Found> {
  return { ok: true, found, isPartial: limitReason !== undefined, limitReason };
}

async function* readTexts(
  query: Omit<ContentQuery, 'contextLines' | 'maxMatches'>,
  sandbox: SandboxHandle,
  walk: FileWalk,
): AsyncGenerator<{ readonly path: string; readonly lines: readonly string[] }> {
  const { signal, root, fileGlob } = query;
  const fits = createPathFilter(root, fileGlob);
  for await (const path of walkFiles(query, sandbox, walk)) {
    if (!fits(path)) continue;
    try {
      const { bytes, isTruncated } = await sandbox.readFile(path, { maxBytes: maxFileBytes, signal });
      if (isTruncated || fileKindOf(path, bytes) !== 'text') continue;
      yield { path, lines: splitLines(decodeText(bytes).text) };
    } catch (error) {
      if (!isUnreachable(error)) throw error;
    }
  }
}

interface LineMatcher {
  readonly ok: true;
  /** Indexes of the lines that match; `null` where the pattern took too long. */
  readonly match: (lines: readonly string[]) => readonly number[] | null;
}

/**
 * The pattern comes from the model and may take forever on some lines. A script in a context of its own can be stopped in
 * the middle of a match; plain code cannot.
 */
function createLineMatcher(pattern: string): LineMatcher | { readonly ok: false; readonly message: string } {
  const ignoresCase = pattern.startsWith('(?i)');
  const source = ignoresCase ? pattern.slice(4) : pattern;
  // Only Unicode mode knows classes of characters; it also refuses escapes that mean nothing, so it is not always on.
  const flags = `${ignoresCase ? 'i' : ''}${/\\p\{/i.test(source) ? 'u' : ''}`;
  try {
    new RegExp(source, flags);
  } catch (error) {
    return { ok: false, message: errorMessage(error) };
  }
  const context = createContext({ source, flags, lines: '' });
  const script = new Script(
    `{ const regex = new RegExp(source, flags);
       JSON.stringify(JSON.parse(lines).flatMap((line, index) => regex.test(line) ? [index] : [])); }`,
  );
  let leftMs = matchBudgetMs;
  return {
    ok: true,
    match(lines) {
      if (leftMs <= 0) return null;
      const startedAt = performance.now();
      context['lines'] = JSON.stringify(lines.map((line) => line.slice(0, maxLineChars)));
      try {
        const matched: unknown = JSON.parse(String(script.runInContext(context, { timeout: matchTimeoutMs })));
        return Array.isArray(matched) ? matched.filter((index) => typeof index === 'number') : [];
      } catch {
        // Nothing in the script throws but the time limit and the depth of the pattern's own recursion.
        return null;
      } finally {
        leftMs -= performance.now() - startedAt;
      }
    },
  };
}

function tooSlow(pattern: string): SearchOutcome<never> {
  return { ok: false, message: `The pattern takes too long: ${pattern.slice(0, 100)}` };
}

function addHits(
  hits: SearchHit[],
  path: string,
  lines: readonly string[],
  matched: readonly number[],
  { contextLines, maxMatches }: ContentQuery,
): void {
  const matches = new Set(matched);
  const shown = new Set<number>();
  for (const index of matched.slice(0, maxMatches)) {
    for (let near = index - contextLines; near <= index + contextLines; near += 1) {
      if (near >= 0 && near < lines.length) shown.add(near);
    }
  }
  for (const index of [...shown].sort((left, right) => left - right)) {
    hits.push({ path, line: index + 1, content: heldLine(lines[index] ?? ''), isContext: !matches.has(index) });
  }
}
