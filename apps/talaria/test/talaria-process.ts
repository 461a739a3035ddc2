import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Arguments of Node that run the program from its sources. */
export const programWords: readonly [string, ...string[]] = ['--conditions=@talaria/source', program];

/** What a test decides about a child. */
export interface TalariaOptions {
  readonly cwd: string;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** @default 'ignore' */
  readonly stdin?: 'ignore' | 'pipe' | undefined;
}

/** Variables of a machine on which nothing is configured, with all state below `cwd`. */
export function bareVariables({ cwd, variables = {} }: TalariaOptions): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: cwd,
    TERMINAL_SANDBOX_DIR: join(cwd, 'state'),
    NODE_NO_WARNINGS: '1',
    ...variables,
  };
}

/** A child that runs the program. */
export type TalariaProcess = ReturnType<typeof startTalaria>;

/** Starts the program as a process of its own. */
export function startTalaria(args: readonly string[], options: TalariaOptions) {
  return execa(process.execPath, [...programWords, ...args], {
    cwd: options.cwd,
    env: bareVariables(options),
    extendEnv: false,
    reject: false,
    stdin: options.stdin ?? 'ignore',
    timeout: 60_000,
  });
}

/** Runs a line of shell in which `talaria` is the program. */
export function runShell(line: string, options: TalariaOptions) {
  const program = [process.execPath, ...programWords].map((word) => `'${word}'`).join(' ');
  return execa('bash', ['-o', 'pipefail', '-c', `talaria() { ${program} "$@"; }; ${line}`], {
    cwd: options.cwd,
    env: bareVariables(options),
    extendEnv: false,
    reject: false,
    timeout: 60_000,
  });
}

/** Resolves when the text stands in what a child writes to standard error from now on. */
export async function whenTold(child: TalariaProcess, text: string): Promise<void> {
  let told = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (piece: Buffer) => {
      told += String(piece);
      if (told.includes(text)) resolve();
    });
    child.stderr.once('close', () => reject(new Error(`The program ended without saying "${text}":\n${told}`)));
  });
}

/** Numbers of processes that have the text in their variables or their command line. */
export async function findProcesses(text: string): Promise<readonly number[]> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    numbers.map(async (pid) => {
      const facts = await Promise.all(['environ', 'cmdline'].map((name) => readOrEmpty(`/proc/${pid}/${name}`)));
      return facts.some((fact) => fact.includes(text)) ? [pid] : [];
    }),
  );
  return found.flat();
}

/** A process may end while it is looked at. */
function readOrEmpty(path: string): Promise<string> {
  return readFile(path, 'latin1').catch(() => '');
}
