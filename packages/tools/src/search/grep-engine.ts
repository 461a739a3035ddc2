import { posix } from 'node:path';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { comparePaths } from './compare-paths.ts';
import { type ExtendedRegex, toExtendedRegex } from './extended-regex.ts';
import { type FoundFile, maxFoundFiles, newestFirst } from './found-file.ts';
import { ownCopy } from './held-text.ts';
import { createHitCollector } from './hit-collector.ts';
import { createPathFilter } from './path-filter.ts';
import { runSearch, type SearchRun } from './run-search.ts';
import type { SearchEngine, SearchOutcome, SearchScope } from './search-engine.ts';

/** Matches that are looked through, since grep does not sort what it finds. */
const maxSeenMatches = 50_000;
/** Files with matches that are held, for the same reason. */
const maxCounts = 20_000;

/** Searches with GNU `grep` and `find`. Ignore files count for nothing here. */
export function createGrepEngine(sandbox: SandboxHandle): SearchEngine {
  return {
    name: 'grep',
    async searchContent(query) {
      const regex = toExtendedRegex(query.pattern);
      if (!regex.ok) return regex;
      const hits = createHitCollector(query);
      const fits = createPathFilter(query.root, query.fileGlob);
      const words = [
        ...grepWords(query, regex),
        '-n',
        '-m',
        String(query.maxMatches),
        ...(query.contextLines > 0 ? ['-C', String(query.contextLines)] : []),
        '--',
        ...query.names,
      ];
      const onRecord = withWholeNames(query.base, (path, rest) => {
        const [, line, mark, content] = /^(\d+)([:-])([\s\S]*)$/.exec(rest) ?? [];
        if (line === undefined || !fits(path)) return false;
        hits.add({ path, line: Number(line), content: (content ?? '').replace(/\r$/, ''), isContext: mark === '-' });
        return hits.matchCount() >= maxSeenMatches;
      });
      const run = await runSearch(words, '\n', onRecord, { sandbox, cwd: query.base, signal: query.signal });
      const count = hits.matchCount();
      return outcomeOf(run, hits.first(), count, count >= Math.min(query.maxMatches, maxSeenMatches));
    },
    async countMatches(query) {
      const regex = toExtendedRegex(query.pattern);
      if (!regex.ok) return regex;
      const counts: [string, number][] = [];
      const fits = createPathFilter(query.root, query.fileGlob);
      const onRecord = withWholeNames(query.base, (path, rest) => {
        const count = Number(rest);
        if (count > 0 && fits(path)) counts.push([ownCopy(path), count]);
        return counts.length >= maxCounts;
      });
      const words = [...grepWords(query, regex), '-c', '--', ...query.names];
      const run = await runSearch(words, '\n', onRecord, { sandbox, cwd: query.base, signal: query.signal });
      const sorted = counts.sort(([left], [right]) => comparePaths(left, right));
      return outcomeOf(run, new Map(sorted), counts.length, counts.length >= maxCounts);
    },
    async findFiles(query) {
      const files: FoundFile[] = [];
      const fits = createPathFilter(query.root, query.glob);
      const hidden = query.includeHidden ? [] : ['-name', '.?*', '-prune', '-o'];
      const name = isSystemGlob(query.glob) ? ['-name', query.glob] : [];
      const words = [
        'find',
        ...query.names.map((entry) => `./${entry}`),
        ...hidden,
        '-type',
        'f',
        ...name,
        '-printf',
        '%T@ %p\\0',
      ];
      const onRecord = (record: string): boolean => {
        // What find complains about comes in between.
        const [, modified, path = ''] = /(?:^|\n)(\d+(?:\.\d+)?) (\.\/[\s\S]*)$/.exec(record) ?? [];
        const absolute = posix.join(query.base, path);
        if (modified !== undefined && fits(absolute))
          files.push({ path: ownCopy(absolute), modified: Number(modified) });
        return files.length >= maxFoundFiles;
      };
      const run = await runSearch(words, '\0', onRecord, { sandbox, cwd: query.base, signal: query.signal });
      if (run.exitCode !== 0 && run.exitCode !== null && files.length === 0 && run.stderr !== '') {
        return { ok: false, message: run.stderr };
      }
      return newestFirst(files, query, run.isTimedOut ? 'time' : undefined);
    },
  };
}

function grepWords(
  { includeHidden, fileGlob }: SearchScope,
  { regex, ignoresCase }: ExtendedRegex & { readonly ok: true },
): readonly string[] {
  // Names are relative, since of an absolute one any hidden folder on the way to it would count as well.
  // Of two rules that fit the later one counts; with `--include` first, what fits none is left out.
  const include = fileGlob === undefined || !isSystemGlob(fileGlob) ? [] : [`--include=${fileGlob}`];
  const hidden = includeHidden ? [] : ['--exclude-dir=.?*', '--exclude=.?*'];
  return ['grep', '-rIHEsZ', ...(ignoresCase ? ['-i'] : []), ...include, ...hidden, '-e', regex];
}

/** Whether the system's own globs mean the same by it: they know no `{a,b}` and no paths. The path filter sees to others. */
function isSystemGlob(glob: string): boolean {
  return !/[/{}]/.test(glob);
}

/** Splits `name NUL rest`, names being below `base`. A name with a line break comes in two records, of which the first has no NUL. */
function withWholeNames(base: string, onLine: (path: string, rest: string) => boolean): (record: string) => boolean {
  let prefix = '';
  return (record) => {
    const end = record.indexOf('\0');
    if (end === -1) {
      prefix = record === '--' ? '' : `${prefix}${record}\n`;
      return false;
    }
    const path = posix.join(base, prefix + record.slice(0, end));
    prefix = '';
    return onLine(path, record.slice(end + 1));
  };
}

function outcomeOf<Found>(run: SearchRun, found: Found, count: number, isFull: boolean): SearchOutcome<Found> {
  if (run.exitCode === 2 && count === 0 && run.stderr !== '') return { ok: false, message: run.stderr };
  return {
    ok: true,
    found,
    isPartial: isFull || run.isTimedOut,
    ...(run.isTimedOut ? { limitReason: 'time' } : {}),
  };
}
