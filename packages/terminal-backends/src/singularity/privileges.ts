import { userInfo } from 'node:os';

/** With what rights sandboxes are, as arguments of the program. */
export interface Privileges {
  readonly forStart: readonly string[];
  readonly forExec: readonly string[];
  /** The home of the image is that of its user. */
  readonly isRoot: boolean;
}

/** What programs need to be installed and nothing else: as root, the program would give a sandbox all that root may. */
const capabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'NET_BIND_SERVICE']
  .concat('SETFCAP')
  .map((name) => `CAP_${name}`)
  .join(',');

/** With what rights a sandbox may be here, the best first: which of them this machine can do must be tried. */
export function privilegesToTry(fakeroot: boolean | undefined): readonly Privileges[] {
  const withoutAny = { forStart: ['--no-privs'], forExec: ['--no-privs'] };
  const few = ['--no-privs', '--add-caps', capabilities];
  if (userInfo().uid === 0 && fakeroot !== true) {
    return [
      { forStart: few, forExec: few, isRoot: true },
      { ...withoutAny, isRoot: true },
    ];
  }
  const asRoot: readonly Privileges[] = [
    { forStart: ['--fakeroot'], forExec: [], isRoot: true },
    { forStart: ['--fakeroot', '--no-privs'], forExec: ['--no-privs'], isRoot: true },
  ];
  const asUser: readonly Privileges[] = [
    { forStart: [], forExec: [], isRoot: false },
    { ...withoutAny, isRoot: false },
  ];
  if (fakeroot === undefined) return [...asRoot.slice(0, 1), ...asUser];
  return fakeroot ? asRoot : asUser;
}
