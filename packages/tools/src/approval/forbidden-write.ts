import type { ShellCommand } from './shell-commands.ts';

const disk = /^\/dev\/(?:[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk\d|disk\d|dm-\d|md\d|loop\d|mapper\/)/;
const passwords = /^\/+etc\/+(?:(?:sudoers|passwd|shadow|gshadow)-?$|sudoers\.d(?:\/|$))/;

/** Programs that write to the files which they are given. */
const writers: ReadonlySet<string> = new Set(['tee', 'shred', 'truncate', 'sponge']);
/** Programs whose last argument is what they write. */
const copiers: ReadonlySet<string> = new Set(['cp', 'mv', 'install', 'ln', 'rsync']);

/** The rule that a command breaks by writing to a disk or to the password files. */
export function forbiddenWrite(command: ShellCommand): string | undefined {
  for (const target of writtenPaths(command)) {
    if (disk.test(target)) return 'overwriting a disk';
    if (passwords.test(target)) return 'writing the password or sudo files';
  }
  return undefined;
}

function writtenPaths({ words, redirects }: ShellCommand): readonly string[] {
  const [name = '', ...args] = words;
  const plain = args.filter((word) => !word.startsWith('-'));
  const redirected = redirects.flatMap(({ operator, target }) => (operator.includes('>') ? [target] : []));
  if (writers.has(name)) return [...redirected, ...plain];
  if (copiers.has(name)) return [...redirected, ...plain.slice(-1)];
  if (name === 'sed' || name === 'perl') {
    return args.some((word) => /^-\w*i|^--in-place/.test(word)) ? [...redirected, ...plain] : redirected;
  }
  if (name === 'dd') return [...redirected, ...args.flatMap((word) => (word.startsWith('of=') ? [word.slice(3)] : []))];
  if (name === 'rm') return [...redirected, ...plain.filter((word) => passwords.test(word))];
  return redirected;
}
