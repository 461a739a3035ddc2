/** A path of the sandbox as far as it can be told from outside. */
export type SandboxPath =
  | { readonly kind: 'absolute'; readonly path: string }
  /** Below the home folder of another user, which only the sandbox knows. */
  | { readonly kind: 'user'; readonly user: string; readonly rest: string }
  | { readonly kind: 'invalid' };

const userPath = /^~([A-Za-z0-9._-]+)(\/.*)?$/s;

/** Takes `~` and `~user` apart, and starts a relative path in `cwd`. Links are left alone. */
export function parseSandboxPath(path: string, cwd: string, home: string): SandboxPath {
  if (path === '' || path.includes('\0')) return { kind: 'invalid' };
  if (path === '~') return { kind: 'absolute', path: home };
  if (path.startsWith('~/')) return { kind: 'absolute', path: tidyPath(`${home}/${path.slice(2)}`) };
  const [, user, rest = ''] = userPath.exec(path) ?? [];
  if (user !== undefined) return { kind: 'user', user, rest };
  return { kind: 'absolute', path: tidyPath(path.startsWith('/') ? path : `${cwd}/${path}`) };
}

/** Takes out `.` and doubled slashes, not `..`: where a link comes before it, only the system knows what it means. */
export function tidyPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return `/${parts.join('/')}`;
}
