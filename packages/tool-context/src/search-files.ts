import { SandboxError, TaskError } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import type { FinishedRun } from './run-command.ts';
import type { SearchMatch } from './tool-context.ts';

/** Runs a program in the sandbox to its end. */
export type RunProgram = (words: readonly string[]) => Promise<FinishedRun>;

/** What is searched, and how much of it is wanted. */
export interface SearchQuery {
  /** POSIX extended regular expression. */
  readonly pattern: string;
  readonly path: string;
  readonly limit: number;
}

/**
 * Searches the text files below a path with the sandbox's `grep`. Matches come in the order in which it finds them.
 *
 * @throws SandboxError `sandbox.not-found`; TaskError `task.invalid-search` for a pattern that grep refuses
 */
export async function searchFiles(
  sandbox: SandboxHandle,
  query: SearchQuery,
  runProgram: RunProgram,
): Promise<readonly SearchMatch[]> {
  const path = await sandbox.resolvePath(query.path);
  if ((await sandbox.stat(path)) === null) {
    throw new SandboxError(`Nothing to search at ${path}`, {
      code: 'sandbox.not-found',
      backend: sandbox.kind,
      phase: 'transfer',
      started: false,
    });
  }
  const words = ['-e', query.pattern, '--', path];
  // A NUL after the name leaves no doubt where it ends. BusyBox has no `-Z` and no `-I`.
  const exact = await runProgram(['grep', '-rnHIEZ', ...words]);
  if (!isOptionError(exact)) return readMatches(exact, query, exactLine);
  return readMatches(await runProgram(['grep', '-rnHE', ...words]), query, portableLine);
}

/** Name, NUL, number, colon, text. A name may hold a newline. */
const exactLine = /([^\0]+)\0(\d+):(.*)\n?/gy;
/** Name, colon, number, colon, text: the shortest name counts. */
const portableLine = /(.+?):(\d+):(.*)\n?/gy;

function isOptionError(result: FinishedRun): boolean {
  return result.kind === 'exited' && result.exitCode > 0 && /(unrecognized|invalid) option/.test(result.stderr);
}

function readMatches(result: FinishedRun, query: SearchQuery, line: RegExp): readonly SearchMatch[] {
  const matches: SearchMatch[] = [];
  for (const [, path = '', number, content = ''] of result.output.matchAll(line)) {
    if (matches.length >= query.limit) break;
    matches.push({ path, line: Number(number), content });
  }
  // Status 2 with matches means that some file could not be read; without, that nothing was searched.
  if (result.kind === 'exited' && result.exitCode > 1 && matches.length === 0) {
    throw new TaskError(`grep refused ${JSON.stringify(query.pattern)}: ${result.stderr.trim()}`, {
      code: 'task.invalid-search',
      hint: 'Give a POSIX extended regular expression, with a backslash before characters meant literally.',
    });
  }
  return matches;
}
