import { defaultPath } from '../sandbox-environment.ts';

/** What a new sandbox tells of itself. */
export interface SandboxFacts {
  readonly home: string;
  readonly userNumber: number;
  readonly user: string;
  /** Where a process without a folder of its own starts. */
  readonly startFolder: string;
  readonly path: string;
  /** Variables of a login shell. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Variables that a shell sets for itself, or that are Talaria's own. */
const passing = /^(?:PWD|OLDPWD|SHLVL|_|PATH|TALARIA_.*|BASH_.*|SHELLOPTS|BASHOPTS|UID|EUID|PPID|GROUPS)$/;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Reads the entries that a launcher writes: home, user number, user name, start folder, `PATH`, and then `NAME=value` for
 * each variable of a login shell.
 */
export function readSandboxFacts(entries: readonly string[]): SandboxFacts {
  const [home = '', userNumber = '', user = '', startFolder = '', path = '', ...assignments] = entries;
  const pairs = assignments.map((entry) => splitOnce(entry, '='));
  const variables = pairs.filter(([name]) => variableName.test(name) && !passing.test(name));
  const loginPath = pairs.find(([name]) => name === 'PATH')?.[1] ?? '';
  return {
    home: home.startsWith('/') ? home : '/',
    userNumber: Number(userNumber) || 0,
    user: user || (userNumber === '0' ? 'root' : 'user'),
    startFolder: startFolder || '/',
    path: mergePaths(path, loginPath) || defaultPath,
    variables: Object.fromEntries(variables),
  };
}

/**
 * The login profile of many images sets `PATH` anew and so drops what the image itself has put there. So that comes
 * first, unless the profile has kept it all; what only the profile has comes behind.
 */
function mergePaths(own: string, login: string): string {
  const [ownFolders, loginFolders] = [own, login].map((path) => path.split(':').filter((folder) => folder !== ''));
  if (ownFolders?.every((folder) => loginFolders?.includes(folder))) return login;
  return [...new Set([...(ownFolders ?? []), ...(loginFolders ?? [])])].join(':');
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
