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
  readonly signal: AbortSignal | undefined;
}

/**
 * Searches the text files below a path with the sandbox's `grep`. Matches come in the order in which it finds them.
 *
 * @throws SandboxError `sandbox.not-found`, `sandbox.timeout`; TaskError `task.invalid-search` for a pattern that grep refuses
 */
export async function searchFiles(
  sandbox: SandboxHandle,
  query: SearchQuery,
  runProgram: RunProgram,
): Promise<readonly SearchMatch[]> {
  const path = await sandbox.resolvePath(query.path);
  if ((await sandbox.stat(path, { signal: query.signal })) === null) {
    throw new SandboxError(`Nothing to search at ${path}`, {
      code: 'sandbox.not-found',
      backend: sandbox.kind,
      phase: 'transfer',
      started: false,
      hint: 'Give the path of a file or folder inside the sandbox.',
    });
  }
  const words = ['-e', query.pattern, '--', path];
  // A NUL after the name leaves no doubt where it ends. BusyBox has no `-Z` and no `-I`.
  const exact = await runProgram(['grep', '-rnHIEZ', ...words]);
  if (!isOptionError(exact)) return readMatches(sandbox, exact, query, exactLine);
  return readMatches(sandbox, await runProgram(['grep', '-rnHE', ...words]), query, portableLine);
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
  if (result.kind === 'timed-out') throw timedOut(sandbox, query);
  // Status 2 with matches means that some file could not be read; without, that nothing was searched.
  if (result.exitCode > 1 && matches.length === 0) {
    throw new TaskError(`grep refused ${JSON.stringify(query.pattern)}: ${result.stderr.trim()}`, {
      code: 'task.invalid-search',
      hint: 'Give a POSIX extended regular expression, with a backslash before characters meant literally.',
    });
  }
  return matches;
}

function timedOut(sandbox: SandboxHandle, { path }: SearchQuery): SandboxError {
  return new SandboxError(`The search below ${path} ran out of time`, {
    code: 'sandbox.timeout',
    backend: sandbox.kind,
    phase: 'exec',
    started: true,
    hint: 'Search a smaller folder.',
  });
}
