import type { SandboxHandle } from '@talaria/terminal-backends';
import { type ExtendedRegex, toExtendedRegex } from './extended-regex.ts';
import { createPathFilter } from './path-filter.ts';
import { runSearch, type SearchRun } from './run-search.ts';
import type { SearchEngine, SearchHit, SearchOutcome, SearchScope } from './search-engine.ts';

/** Lines that are held, since grep does not sort what it finds. */
const maxHits = 20_000;

/** Searches with GNU `grep` and `find`. Ignore files count for nothing here. */
export function createGrepEngine(sandbox: SandboxHandle): SearchEngine {
  return {
    name: 'grep',
    async searchContent(query) {
      const regex = toExtendedRegex(query.pattern);
      if (!regex.ok) return regex;
      const hits: SearchHit[] = [];
      const fits = createPathFilter(query.root, query.fileGlob);
      const words = [
        ...grepWords(query, regex),
        '-n',
        ...(query.contextLines > 0 ? ['-C', String(query.contextLines)] : []),
        '--',
        query.root,
      ];
      const onRecord = withWholeNames((path, rest) => {
        const [, line, mark, content] = /^(\d+)([:-])([\s\S]*)$/.exec(rest) ?? [];
        if (line === undefined || !fits(path)) return false;
        hits.push({ path, line: Number(line), content: (content ?? '').replace(/\r$/, ''), isContext: mark === '-' });
        return hits.length >= maxHits;
      });
      const run = await runSearch(words, '\n', onRecord, { sandbox, cwd: '/', signal: query.signal });
      hits.sort((left, right) => comparePaths(left.path, right.path) || left.line - right.line);
      return outcomeOf(run, hits, hits.length, hits.length >= maxHits);
    },
    async countMatches(query) {
      const regex = toExtendedRegex(query.pattern);
      if (!regex.ok) return regex;
      const counts: [string, number][] = [];
      const fits = createPathFilter(query.root, query.fileGlob);
      const onRecord = withWholeNames((path, rest) => {
        const count = Number(rest);
        if (count > 0 && fits(path)) counts.push([path, count]);
        return counts.length >= maxHits;
      });
      const words = [...grepWords(query, regex), '-c', '--', query.root];
      const run = await runSearch(words, '\n', onRecord, { sandbox, cwd: '/', signal: query.signal });
      const sorted = counts.sort(([left], [right]) => comparePaths(left, right));
      return outcomeOf(run, new Map(sorted), counts.length, counts.length >= maxHits);
    },
    async findFiles(query) {
      const files: { readonly path: string; readonly modified: number }[] = [];
      const fits = createPathFilter(query.root, query.glob);
      const hidden = query.includeHidden ? [] : ['-name', '.*', '-prune', '-o'];
      const name = isSystemGlob(query.glob) ? ['-name', query.glob] : [];
      const words = ['find', query.root, '-mindepth', '1', ...hidden, '-type', 'f', ...name, '-printf', '%T@ %p\\0'];
      const onRecord = (record: string): boolean => {
        // What find complains about comes in between.
        const [, modified, path = ''] = /(?:^|\n)(\d+(?:\.\d+)?) (\/[\s\S]*)$/.exec(record) ?? [];
        if (modified !== undefined && fits(path)) files.push({ path, modified: Number(modified) });
        return files.length >= maxHits;
      };
      const run = await runSearch(words, '\0', onRecord, { sandbox, cwd: '/', signal: query.signal });
      if (run.exitCode !== 0 && run.exitCode !== null && files.length === 0 && run.stderr !== '') {
        return { ok: false, message: run.stderr };
      }
      files.sort((left, right) => right.modified - left.modified || comparePaths(left.path, right.path));
      const paths = files.slice(0, query.maxFiles).map(({ path }) => path);
      return { ok: true, found: paths, isPartial: files.length > paths.length || files.length >= maxHits };
    },
  };
}

function grepWords(
  { includeHidden, fileGlob }: SearchScope,
  { regex, ignoresCase }: ExtendedRegex & { readonly ok: true },
): readonly string[] {
  // Of two rules that fit the later one counts; with `--include` first, what fits none is left out.
  const include = fileGlob === undefined || !isSystemGlob(fileGlob) ? [] : [`--include=${fileGlob}`];
  const hidden = includeHidden ? [] : ['--exclude-dir=.?*', '--exclude=.?*'];
  return ['grep', '-rIHEsZ', ...(ignoresCase ? ['-i'] : []), ...include, ...hidden, '-e', regex];
}

/** Whether the system's own globs mean the same by it: they know no `{a,b}` and no paths. The path filter sees to others. */
function isSystemGlob(glob: string): boolean {
  return !/[/{}]/.test(glob);
}

/** Splits `name NUL rest`. A name with a line break comes in two records, of which the first has no NUL. */
function withWholeNames(onLine: (path: string, rest: string) => boolean): (record: string) => boolean {
  let prefix = '';
  return (record) => {
    const end = record.indexOf('\0');
    if (end === -1) {
      prefix = record === '--' ? '' : `${prefix}${record}\n`;
      return false;
    }
    const path = prefix + record.slice(0, end);
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

/** Order of code units, as `rg --sort path` has it for plain names. */
function comparePaths(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
