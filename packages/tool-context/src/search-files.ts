import { SandboxError, TaskError, truncateText } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { toExtendedRegex } from '@talaria/tools';
import type { FinishedRun } from './run-command.ts';
import type { SearchMatch } from './tool-context.ts';

/** Runs a program in the sandbox to its end. */
export type RunProgram = (words: readonly string[]) => Promise<FinishedRun>;

/** What is searched, and how much of it is wanted. */
export interface SearchQuery {
  /** Regular expression, in the dialect of the tool `search_files`. */
  readonly pattern: string;
  readonly path: string;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Searches the text files below a path with the sandbox's `grep`. Matches come in the order in which it finds them.
 *
 * @throws SandboxError `sandbox.not-found`, `sandbox.timeout`, `sandbox.too-large`; TaskError `task.invalid-search` for a pattern that grep refuses
 */
export async function searchFiles(
  sandbox: SandboxHandle,
  query: SearchQuery,
  runProgram: RunProgram,
): Promise<readonly SearchMatch[]> {
  const { regex, ignoresCase } = translate(query.pattern);
  const path = await sandbox.resolvePath(query.path);
  const stat = await sandbox.stat(path, { signal: query.signal });
  if (stat === null || stat.kind === 'other') {
    const what = stat === null ? `Nothing to search at ${path}` : `${path} is a device, pipe or socket`;
    throw searchError(sandbox, 'sandbox.not-found', what, 'Give the path of a file or folder inside the sandbox.');
  }
  const words = [...(ignoresCase ? ['-i'] : []), '-e', regex, '--', path];
  // A NUL after the name leaves no doubt where it ends. BusyBox has no `-Z` and no `-I`.
  const exact = await runProgram(['grep', '-rnHIEZ', ...words]);
  if (!isOptionError(exact)) return readMatches(sandbox, exact, query, exactLine);
  return readMatches(sandbox, await runProgram(['grep', '-rnHE', ...words]), query, portableLine);
}

function translate(pattern: string): { readonly regex: string; readonly ignoresCase: boolean } {
  if (/[\n\0]/.test(pattern)) throw invalidSearch(pattern, 'a pattern holds neither line breaks nor NULs');
  const translated = toExtendedRegex(pattern);
  if (!translated.ok) throw invalidSearch(pattern, translated.message);
  return translated;
}

function invalidSearch(pattern: string, why: string): TaskError {
  return new TaskError(`grep refused ${JSON.stringify(truncateText(pattern, 200))}: ${why}`, {
    code: 'task.invalid-search',
    hint: 'Give a plain regular expression, with a backslash before characters meant literally.',
  });
}

/** Name, NUL, number, colon, text. A name may hold a newline. */
const exactLine = /([^\0]+)\0(\d+):([^\n]*)\n?/gy;
/** Name, colon, number, colon, text: the shortest name counts. */
const portableLine = /([^\n]+?):(\d+):([^\n]*)\n?/gy;

function isOptionError(result: FinishedRun): boolean {
  return result.kind === 'exited' && result.exitCode > 0 && /(unrecognized|invalid) option/.test(result.stderr);
}

function readMatches(
  sandbox: SandboxHandle,
  result: FinishedRun,
  query: SearchQuery,
  line: RegExp,
): readonly SearchMatch[] {
  const matches: SearchMatch[] = [];
  for (const [, path = '', number, content = ''] of result.output.matchAll(line)) {
    if (matches.length >= query.limit) break;
    matches.push({ path, line: Number(number), content });
  }
  if (matches.length >= query.limit) return matches;
  if (result.kind === 'timed-out') {
    const message = `The search below ${query.path} ran out of time`;
    throw searchError(sandbox, 'sandbox.timeout', message, 'Search a smaller folder.');
  }
  // Fewer matches than there are would look like an answer.
  if (result.truncatedBytes > 0) {
    const message = `The matches below ${query.path} are too many to read`;
    throw searchError(sandbox, 'sandbox.too-large', message, 'Ask for fewer of them, or search a smaller folder.');
  }
  // Status 2 with matches means that some file could not be read; without, that nothing was searched.
  if (result.exitCode > 1 && matches.length === 0) throw invalidSearch(query.pattern, result.stderr.trim());
  return matches;
}

function searchError(sandbox: SandboxHandle, code: `sandbox.${string}`, message: string, hint: string): SandboxError {
  return new SandboxError(message, { code, backend: sandbox.kind, phase: 'exec', started: false, hint });
}
