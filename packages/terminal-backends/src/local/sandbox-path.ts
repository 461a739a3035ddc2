import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorMessage } from '@talaria/core';
import { parseSandboxPath, tidyPath } from '../sandbox-path.ts';
import { localError } from './local-error.ts';

const runFile = promisify(execFile);

/** Makes a path absolute: `~` and `~user` are looked up, a relative one starts in `cwd`. Links are left alone. */
export async function resolveSandboxPath(path: string, cwd: string, home: string): Promise<string> {
  const parsed = parseSandboxPath(path, cwd, home);
  if (parsed.kind === 'absolute') return parsed.path;
  if (parsed.kind === 'user') return tidyPath(`${await homeOf(parsed.user)}${parsed.rest}`);
  throw localError(`${JSON.stringify(path)} is not a path`, {
    code: 'sandbox.unsafe-path',
    phase: 'transfer',
    started: false,
    hint: 'A path has at least one character and no NUL.',
  });
}

async function homeOf(user: string): Promise<string> {
  const { stdout } = await runFile('getent', ['passwd', '--', user]).catch((error: unknown) => {
    throw localError(`There is no user ${JSON.stringify(user)} whose home could be looked up`, {
      code: 'sandbox.not-found',
      phase: 'transfer',
      started: false,
      hint: `Write ./~${user} for a file that is called so. (${errorMessage(error)})`,
      cause: error,
    });
  });
  return stdout.trimEnd().split(':')[5] || '/';
}
