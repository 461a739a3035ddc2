import { globProblem } from './path-filter.ts';

/** Lines, those around matches among them, up to the last that any page but the first may show: all of them are held. */
const maxPagedLines = 20_000;

/** What the model gives. */
export interface SearchArguments {
  readonly pattern: string;
  readonly target?: 'content' | 'files';
  readonly path?: string;
  readonly file_glob?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly output_mode?: 'content' | 'files_only' | 'count';
  readonly context?: number;
}

/** What is wrong with them beyond their schema. */
export function argumentProblem(args: SearchArguments): string | undefined {
  const { pattern, file_glob: fileGlob = '', target } = args;
  const globs = target === 'files' ? [fileGlob, pattern] : [fileGlob];
  if ([fileGlob, pattern].some((text) => text.includes('\0'))) return 'A pattern cannot hold a NUL.';
  // One engine refuses it, another takes it for two patterns, the third never finds it.
  if (target !== 'files' && pattern.includes('\n')) return 'A pattern cannot span lines; search for one of them.';
  const problem = globs.map(globProblem).find((found) => found !== undefined);
  return problem === undefined ? pageProblem(args) : `${problem}.`;
}

function pageProblem({
  target,
  output_mode: mode = 'content',
  offset = 0,
  limit = 50,
  context = 0,
}: SearchArguments): string | undefined {
  const holdsLines = target !== 'files' && mode === 'content';
  if (!holdsLines || offset === 0 || (offset + limit) * (1 + 2 * context) <= maxPagedLines) return undefined;
  return 'offset is too far behind the first match: search a smaller folder, fewer files by file_glob, or a rarer pattern.';
}
