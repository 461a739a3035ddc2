import { Buffer } from 'node:buffer';
import { isJsonObject, type JsonValue, parseJson } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { type FoundFile, maxFoundFiles, newestFirst } from './found-file.ts';
import { heldLine, ownCopy } from './held-text.ts';
import { createPathFilter } from './path-filter.ts';
import { runSearch, type SearchRun } from './run-search.ts';
import type { ContentQuery, SearchEngine, SearchHit, SearchOutcome, SearchScope } from './search-engine.ts';
import { absoluteRoots } from './search-roots.ts';

/** Searches with `rg`, whose JSON output leaves nothing to guess. */
export function createRipgrepEngine(sandbox: SandboxHandle): SearchEngine {
  return {
    name: 'ripgrep',
    async searchContent(query) {
      const hits: SearchHit[] = [];
      const collector = createCollector(query, hits);
      const words = [
        ...scopeWords(query, query.fileGlob),
        '--json',
        '--sort',
        'path',
        ...(query.contextLines > 0 ? ['-C', String(query.contextLines)] : []),
        '-e',
        query.pattern,
        '--',
        ...absoluteRoots(query),
      ];
      const run = await runSearch(words, '\n', collector.onRecord, { sandbox, cwd: '/', signal: query.signal });
      return outcomeOf(run, hits, hits.length, collector.hasEnough());
    },
    async countMatches(query) {
      const counts = new Map<string, number>();
      const fits = createPathFilter(query.root, query.fileGlob);
      let path = '';
      const words = [
        ...scopeWords(query, query.fileGlob),
        '--count',
        '--with-filename',
        '--null',
        '--sort',
        'path',
        '-e',
        query.pattern,
        '--',
        ...absoluteRoots(query),
      ];
      // Records are `path`, then `count \n next path`, since only names end in NUL.
      const onRecord = (record: string): boolean => {
        const [, count, next] = /^(?:(\d+)\n)?([\s\S]*)$/.exec(record) ?? [];
        if (count !== undefined && path !== '' && fits(path)) counts.set(ownCopy(path), Number(count));
        path = next ?? '';
        return counts.size >= maxFoundFiles;
      };
      const run = await runSearch(words, '\0', onRecord, { sandbox, cwd: '/', signal: query.signal });
      return outcomeOf(run, counts, counts.size, counts.size >= maxFoundFiles);
    },
    async findFiles(query) {
      const files: FoundFile[] = [];
      const fits = createPathFilter(query.root, query.glob);
      const [, ...options] = scopeWords(query, query.glob);
      const words = ['sh', '-c', listScript, 'sh', ...options, '--files', '--null', '--', ...absoluteRoots(query)];
      const onRecord = (record: string): boolean => {
        const [, modified, path = record] = /^(\d+\.\d+) (\/[\s\S]*)$/.exec(record) ?? [];
        // Without a time the order is right as it comes.
        if (fits(path)) files.push({ path: ownCopy(path), modified: Number(modified ?? -files.length) });
        return files.length >= maxFoundFiles;
      };
      const run = await runSearch(words, '\0', onRecord, { sandbox, cwd: '/', signal: query.signal });
      if (files.length === 0 && run.stderr !== '') return { ok: false, message: run.stderr };
      return newestFirst(files, query, run.isTimedOut ? 'time' : undefined);
    },
  };
}

/**
 * Ripgrep before version 14 sorts by time within each folder only, so the times are asked for and compared here. Where
 * `stat` is not GNU's, ripgrep has to do.
 */
const listScript = `if stat --printf '' / 2>/dev/null
then rg "$@" | xargs -0 -r stat --printf '%.9Y %n\\0' -- 2>/dev/null
else rg --sortr modified "$@"
fi`;

/**
 * A glob goes in as a file type of our own, since `--glob` would bring back ignored and hidden files that fit it. One with
 * a slash, or with a colon, which a type cannot hold, is left to the path filter.
 */
function scopeWords({ includeHidden }: SearchScope, glob: string | undefined): readonly string[] {
  const words = ['rg', '--no-config', '--no-messages', ...(includeHidden ? ['--hidden'] : [])];
  const isNameGlob = glob !== undefined && !/[/:]/.test(glob);
  return isNameGlob ? [...words, '--type-add', `talaria:${glob}`, '--type', 'talaria'] : words;
}

function outcomeOf<Found>(run: SearchRun, found: Found, count: number, hasEnough: boolean): SearchOutcome<Found> {
  if (run.exitCode === 2 && count === 0) {
    return { ok: false, message: run.stderr === '' ? 'ripgrep could not read what it was to search' : run.stderr };
  }
  return {
    ok: true,
    found,
    isPartial: hasEnough || run.isTimedOut,
    ...(run.isTimedOut ? { limitReason: 'time' } : {}),
  };
}

interface Collector {
  readonly onRecord: (record: string) => boolean;
  readonly hasEnough: () => boolean;
}

function createCollector(query: ContentQuery, hits: SearchHit[]): Collector {
  const fits = createPathFilter(query.root, query.fileGlob);
  let matchCount = 0;
  let fileStart = { hits: 0, matches: 0 };
  function onRecord(record: string): boolean {
    const parsed = parseJson(record);
    if (!parsed.ok || !isJsonObject(parsed.value)) return false;
    const { type, data } = parsed.value;
    if (!isJsonObject(data)) return false;
    if (type === 'begin') fileStart = { hits: hits.length, matches: matchCount };
    // What was found before a NUL showed that the file is binary does not count.
    if (type === 'end' && typeof data['binary_offset'] === 'number') {
      hits.length = fileStart.hits;
      matchCount = fileStart.matches;
    }
    const path = textOf(data['path']);
    if ((type !== 'match' && type !== 'context') || !fits(path)) return false;
    const line = data['line_number'];
    hits.push({
      path,
      line: typeof line === 'number' ? line : 0,
      content: heldLine(textOf(data['lines']).replace(/\r?\n$/, '')),
      isContext: type === 'context',
    });
    if (type === 'match') matchCount += 1;
    return matchCount >= query.maxMatches;
  }
  return { onRecord, hasEnough: () => matchCount >= query.maxMatches };
}

/** `{"text": …}`, or `{"bytes": base64}` where it is not UTF-8. */
function textOf(value: JsonValue | undefined): string {
  if (!isJsonObject(value)) return '';
  if (typeof value['text'] === 'string') return value['text'];
  return typeof value['bytes'] === 'string' ? Buffer.from(value['bytes'], 'base64').toString('utf8') : '';
}
