import { basename, relative } from 'node:path';
import { quoteShell } from '@talaria/core';

/** What a process is started with. */
export interface ProgramStart {
  /** File that Node was started with, absolute. */
  readonly file: string;
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/**
 * How a user would type what was started: `npm run talaria --` where npm did it, as in a clone, `npx talaria`, the name of an
 * installed program, or `node` and the file.
 */
export function describeProgram({ file, cwd, variables }: ProgramStart): string {
  const name = basename(file);
  const isFile = /\.[cm]?[jt]s$/.test(name);
  const script = variables['npm_lifecycle_event'];
  // A clone builds the program first, so the built file is nothing to type.
  if (name === 'main.js' && (script === 'talaria' || script === 'quickstart')) return 'npm run talaria --';
  if (!isFile) return script === 'npx' ? `npx ${name}` : name;
  const path = relative(cwd, file);
  return `node ${quoteShell([path === '' || path.startsWith('..') ? file : path])}`;
}
