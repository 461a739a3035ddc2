import { posix } from 'node:path';
import { errorMessage, isAbortOf, type JsonObject, truncateText } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { isSandboxLost } from '../sandbox-failure.ts';
import { parseWithComments } from './json-with-comments.ts';

const timeoutMs = 10_000;
const maxMessageChars = 2_000;

/** A file that was edited. */
export interface EditedFile {
  /** Absolute. */
  readonly path: string;
  /** `null` where there was none. */
  readonly before: string | null;
  readonly after: string;
}

/** What a check found; `null` where the syntax is right; `'skipped'` where it could not be checked. */
type Finding = { readonly problem: string } | { readonly skipped: string } | null;

type Checker = (text: string, path: string, sandbox: SandboxHandle, signal: AbortSignal) => Promise<Finding>;

const checkers: ReadonlyMap<string, Checker> = new Map<string, Checker>([
  ['.json', checkJson],
  ['.jsonc', checkJson],
  ['.yaml', checkYaml],
  ['.yml', checkYaml],
  ['.toml', checkToml],
  ['.py', checkPython],
  ['.js', checkScript],
  ['.mjs', checkScript],
  ['.cjs', checkScript],
]);

/**
 * Checks the syntax of a file after an edit, for the `lint` field of a result: `ok`, `error`, or `skipped`. A fault that
 * was there before the edit is told, but is no error. `undefined` for kinds of files that are not checked.
 */
export async function checkSyntax(
  { path, before, after }: EditedFile,
  sandbox: SandboxHandle,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const check = checkers.get(posix.extname(path).toLowerCase());
  if (check === undefined) return undefined;
  const found = await check(after, path, sandbox, signal);
  if (found === null) return { status: 'ok' };
  if ('skipped' in found) return { status: 'skipped', message: found.skipped };
  const output = truncateText(found.problem, maxMessageChars);
  const earlier = before === null ? null : await check(before, path, sandbox, signal);
  if (earlier !== null && 'problem' in earlier) {
    return { status: 'ok', output, message: 'The file had a syntax error before this edit too.' };
  }
  return { status: 'error', output };
}

async function checkJson(text: string, path: string): Promise<Finding> {
  const acceptsComments = path.endsWith('.jsonc') || /^tsconfig.*\.json$/.test(posix.basename(path));
  return findProblem(() => (acceptsComments ? parseWithComments(text) : JSON.parse(text)));
}

async function checkYaml(text: string): Promise<Finding> {
  const { parseAllDocuments } = await import('yaml');
  return findProblem(() => {
    const documents = parseAllDocuments(text, { logLevel: 'silent' });
    for (const document of Array.isArray(documents) ? documents : []) {
      const [error] = document.errors;
      if (error !== undefined) throw error;
    }
  });
}

async function checkToml(text: string): Promise<Finding> {
  const { parse } = await import('smol-toml');
  return findProblem(() => parse(text));
}

function findProblem(parse: () => unknown): Finding {
  try {
    parse();
    return null;
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}

/** Compiles without running, and without writing a cache file. */
const pythonCheck = `import sys
try:
    compile(sys.stdin.buffer.read(), sys.argv[1], 'exec', dont_inherit=True)
except (SyntaxError, ValueError) as error:
    print(f'line {getattr(error, "lineno", "?")}: {getattr(error, "msg", error)}')
    sys.exit(1)`;

async function checkPython(text: string, path: string, sandbox: SandboxHandle, signal: AbortSignal): Promise<Finding> {
  return runChecker(['python3', '-I', '-c', pythonCheck, path], text, sandbox, signal);
}

/** Node reads the script from a file of the same folder, since the folder decides what kind of module it is. */
async function checkScript(text: string, path: string, sandbox: SandboxHandle, signal: AbortSignal): Promise<Finding> {
  const { name, ext, dir } = posix.parse(path);
  const copy = posix.join(dir, `.${name}.talaria-check${ext}`);
  try {
    await sandbox.writeFile(copy, text, { isExclusive: true, signal });
  } catch (error) {
    if (isAbortOf(error, signal) || isSandboxLost(error)) throw error;
    return { skipped: errorMessage(error) };
  }
  try {
    const found = await runChecker(['node', '--check', copy], '', sandbox, signal);
    return found !== null && 'problem' in found ? { problem: found.problem.replaceAll(copy, path) } : found;
  } finally {
    // Removed even after an abort, hence without the signal.
    await sandbox.remove(copy);
  }
}

async function runChecker(
  words: readonly string[],
  stdin: string,
  sandbox: SandboxHandle,
  signal: AbortSignal,
): Promise<Finding> {
  const [program = ''] = words;
  try {
    const result = await sandbox.runProgram(words, { stdin, timeoutMs, signal });
    signal.throwIfAborted();
    if (result.kind !== 'exited') return { skipped: `${program} did not finish within ${timeoutMs / 1_000} s` };
    if (result.exitCode === 0) return null;
    if (result.exitCode >= 126) return { skipped: `${program} is not available here` };
    return { problem: result.output.trim() };
  } catch (error) {
    if (isAbortOf(error, signal) || isSandboxLost(error)) throw error;
    return { skipped: `${program} is not available here` };
  }
}
