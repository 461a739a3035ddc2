import { posix } from 'node:path';
import { errorMessage, isAbortOf, type JsonObject, truncateText } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { isSandboxLost } from '../sandbox-failure.ts';
import { parseWithComments } from './json-with-comments.ts';

const timeoutMs = 10_000;
const maxMessageChars = 2_000;
/** What parsers say at the end of their own stack, or of the depth that they allow. */
const depthLimit = /^(?:Maximum call stack size exceeded|Invalid TOML document: document contains excessively nested)/;
const tooDeep = 'The file is nested too deeply to be checked.';
const tooLarge = 'The file is too large to be checked.';
/** Longest text that is checked: some checks run in this process. */
const maxCheckedChars = 1_000_000;
/** The same of YAML, whose parser takes the square of the time for many keys or anchors. */
const maxYamlChars = 50_000;
/** Lists and maps in brackets within one another: more take the parser seconds. */
const maxYamlDepth = 500;

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

/** A text to be checked, and the file that it is or would be in. */
interface CheckedText {
  readonly text: string;
  readonly path: string;
  /** Whether the file holds this text now. */
  readonly isStored: boolean;
}

type Checker = (checked: CheckedText, sandbox: SandboxHandle, signal: AbortSignal) => Promise<Finding>;

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
  if (after.length > maxCheckedChars) return { status: 'skipped', message: tooLarge };
  const found = await check({ text: after, path, isStored: true }, sandbox, signal);
  if (found === null) return { status: 'ok' };
  if ('skipped' in found) return { status: 'skipped', message: found.skipped };
  const output = truncateText(found.problem, maxMessageChars);
  const earlier = before === null ? null : await check({ text: before, path, isStored: false }, sandbox, signal);
  if (earlier !== null && 'problem' in earlier) {
    return { status: 'ok', output, message: 'The file had a syntax error before this edit too.' };
  }
  return { status: 'error', output };
}

async function checkJson({ text, path }: CheckedText): Promise<Finding> {
  const acceptsComments = path.endsWith('.jsonc') || /^tsconfig.*\.json$/.test(posix.basename(path));
  return findProblem(() => (acceptsComments ? parseWithComments(text) : JSON.parse(text)));
}

async function checkYaml({ text }: CheckedText): Promise<Finding> {
  if (text.length > maxYamlChars) return { skipped: tooLarge };
  if (bracketDepth(text) > maxYamlDepth) return { skipped: tooDeep };
  const { parseAllDocuments } = await import('yaml');
  return findProblem(() => {
    const documents = parseAllDocuments(text, { logLevel: 'silent' });
    for (const document of Array.isArray(documents) ? documents : []) {
      const [error] = document.errors;
      if (error !== undefined) throw error;
    }
  });
}

/** How deep brackets are nested, wherever they stand: more than it is where some are within texts. */
function bracketDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

async function checkToml({ text }: CheckedText): Promise<Finding> {
  const { parse } = await import('smol-toml');
  return findProblem(() => parse(text));
}

function findProblem(parse: () => unknown): Finding {
  try {
    parse();
    return null;
  } catch (error) {
    const problem = errorMessage(error);
    // How deep a parser can go says nothing about the text.
    return depthLimit.test(problem) ? { skipped: tooDeep } : { problem };
  }
}

/** How a checker says that the syntax is wrong, rather than that something else happened to it. */
interface Verdict {
  readonly exitCode: number;
  /** What the output holds then. */
  readonly output: RegExp;
}

/** Compiles without running, and without writing a cache file. Python itself exits with 1 or 2. */
const pythonCheck = `import sys
try:
    compile(sys.stdin.buffer.read(), sys.argv[1], 'exec', dont_inherit=True)
except (SyntaxError, ValueError) as error:
    print(f'line {getattr(error, "lineno", "?")}: {getattr(error, "msg", error)}')
    sys.exit(65)`;
const pythonVerdict: Verdict = { exitCode: 65, output: /^line /m };
const nodeVerdict: Verdict = { exitCode: 1, output: /^SyntaxError\b/m };

async function checkPython({ text, path }: CheckedText, sandbox: SandboxHandle, signal: AbortSignal): Promise<Finding> {
  return runChecker({ words: ['python3', '-I', '-c', pythonCheck, path], stdin: text }, pythonVerdict, sandbox, signal);
}

/**
 * Node reads a script from a file, since its folder and name decide what kind of module it is. A text that is in no file
 * gets one beside it for the time of the check.
 */
async function checkScript(checked: CheckedText, sandbox: SandboxHandle, signal: AbortSignal): Promise<Finding> {
  const { text, path, isStored } = checked;
  if (isStored) return runChecker({ words: ['node', '--check', path] }, nodeVerdict, sandbox, signal);
  const { name, ext, dir } = posix.parse(path);
  const copy = posix.join(dir, `.${name}.talaria-check${ext}`);
  try {
    await sandbox.writeFile(copy, text, { isExclusive: true, signal });
  } catch (error) {
    if (isAbortOf(error, signal) || isSandboxLost(error)) throw error;
    return { skipped: errorMessage(error) };
  }
  try {
    return await runChecker({ words: ['node', '--check', copy] }, nodeVerdict, sandbox, signal);
  } finally {
    // Removed even after an abort, hence without the signal.
    await sandbox.remove(copy);
  }
}

async function runChecker(
  { words, stdin = '' }: { readonly words: readonly string[]; readonly stdin?: string },
  verdict: Verdict,
  sandbox: SandboxHandle,
  signal: AbortSignal,
): Promise<Finding> {
  const [program = ''] = words;
  try {
    const result = await sandbox.runProgram(words, { stdin, timeoutMs, signal });
    signal.throwIfAborted();
    if (result.kind !== 'exited') return { skipped: `${program} did not finish within ${timeoutMs / 1_000} s` };
    if (result.exitCode === 0) return null;
    if (result.exitCode === 126 || result.exitCode === 127) return { skipped: `${program} is not available here` };
    // A crash, a lack of memory, a file that went away.
    if (result.exitCode !== verdict.exitCode || !verdict.output.test(result.output)) {
      return { skipped: `${program} could not check the file` };
    }
    return { problem: withoutStack(result.output) };
  } catch (error) {
    if (isAbortOf(error, signal) || isSandboxLost(error)) throw error;
    return { skipped: `${program} is not available here` };
  }
}

/** Node adds where it was itself. */
function withoutStack(output: string): string {
  const lines = output.split('\n').filter((line) => !/^(?: {4}at .*|Node\.js v[\d.]+)$/.test(line));
  return lines.join('\n').trim();
}
