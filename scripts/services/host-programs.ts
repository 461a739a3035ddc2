import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { StepError } from './step-error.ts';

/** Root's programs are on nobody else's `PATH`. */
const searchPath = [process.env['PATH'] ?? '', '/usr/local/sbin', '/usr/sbin', '/sbin'].join(delimiter);
const shownLines = 15;

export const isRoot: boolean = process.getuid?.() === 0;

/** The path of an installed program. */
export function findProgram(name: string): string | undefined {
  return searchPath
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run: the next folder.
    return false;
  }
}

/** The environment of every program that is run: of the user's own only the home folder and the way to the network. */
export function programEnvironment(): Record<string, string> {
  const proxies = Object.entries(process.env).filter(([name]) => /^(https?|no)_proxy$/i.test(name));
  return {
    ...Object.fromEntries(proxies),
    PATH: searchPath,
    HOME: process.env['HOME'] ?? '/',
    LC_ALL: 'C.UTF-8',
    DEBIAN_FRONTEND: 'noninteractive',
  };
}

export interface ProgramOptions {
  readonly timeoutMs: number;
  /** What to do when it fails. */
  readonly hint: string;
  readonly folder?: string;
  readonly extraEnvironment?: Readonly<Record<string, string>>;
}

/** Runs a program to its end and gives its standard output. @throws StepError with the end of its output */
export async function runProgram(file: string, args: readonly string[], options: ProgramOptions): Promise<string> {
  const result = await execa(file, args, {
    timeout: options.timeoutMs,
    reject: false,
    all: true,
    stdin: 'ignore',
    extendEnv: false,
    env: { ...programEnvironment(), ...options.extraEnvironment },
    ...(options.folder === undefined ? {} : { cwd: options.folder }),
  });
  if (!result.failed) return result.stdout;
  const end = result.timedOut
    ? `did not end within ${options.timeoutMs / 1000} s`
    : result.exitCode === undefined
      ? `was not run to its end: ${result.shortMessage}`
      : `ended with ${result.exitCode}`;
  throw new StepError(`${[file, ...args].join(' ')} ${end}${lastLines(result.all)}`, options.hint);
}

/** The end of an output, indented, to be put behind a message. */
export function lastLines(output: string): string {
  const lines = output.trimEnd().split('\n').slice(-shownLines);
  return lines.map((line) => `\n    ${line}`).join('');
}
