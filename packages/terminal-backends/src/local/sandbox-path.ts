import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorMessage } from '@talaria/core';
import { localError } from './local-error.ts';

const runFile = promisify(execFile);
const userPath = /^~([A-Za-z0-9._-]+)(\/.*)?$/s;

/** Makes a path absolute: `~` and `~user` are looked up, a relative one starts in `cwd`. Links are left alone. */
export async function resolveSandboxPath(path: string, cwd: string, home: string): Promise<string> {
  if (path === '' || path.includes('\0')) {
    throw localError(`${JSON.stringify(path)} is not a path`, {
      code: 'sandbox.unsafe-path',
      phase: 'transfer',
      started: false,
      hint: 'A path has at least one character and no NUL.',
    });
  }
  if (path === '~') return home;
  if (path.startsWith('~/')) return tidy(`${home}/${path.slice(2)}`);
  const [, user, rest = ''] = userPath.exec(path) ?? [];
  if (user !== undefined) return tidy(`${await homeOf(user)}${rest}`);
  return tidy(path.startsWith('/') ? path : `${cwd}/${path}`);
}

/** Takes out `.` and doubled slashes, not `..`: where a link comes before it, only the system knows what it means. */
function tidy(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return `/${parts.join('/')}`;
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
