import type { SandboxRoot } from '../sandbox-root/sandbox-root.ts';

/** The variables that every command gets. None of them is the host's. */
export function baseEnvironment(root: SandboxRoot): Readonly<Record<string, string>> {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: root.placeOf('/root'),
    ...(root.isolation === 'folder' ? { TMPDIR: root.placeOf('/tmp') } : {}),
  };
}
