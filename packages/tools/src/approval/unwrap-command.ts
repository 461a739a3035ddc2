/** A command without what stands before it, and the scripts that it hands to a shell. */
export interface UnwrappedCommand {
  /** The program's base name and its arguments. */
  readonly words: readonly string[];
  readonly scripts: readonly string[];
}

/** Words of the shell that stand before a command. */
const keywords: ReadonlySet<string> = new Set([
  '{',
  '}',
  '!',
  'if',
  'then',
  'elif',
  'else',
  'do',
  'while',
  'until',
  'time',
]);

/** Programs that run the command behind them, with those of their options that take a value. */
const prefixes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['sudo', new Set(['-u', '-g', '-h', '-p', '-C', '-D', '-R', '-T', '-U', '-r', '-t', '--user', '--group', '--chdir'])],
  ['doas', new Set(['-u', '-C'])],
  ['env', new Set(['-u', '-C', '-S', '--unset', '--chdir'])],
  ['nohup', new Set()],
  ['setsid', new Set()],
  ['nice', new Set(['-n', '--adjustment'])],
  ['ionice', new Set(['-c', '-n', '-p', '--class', '--classdata'])],
  ['stdbuf', new Set(['-i', '-o', '-e'])],
  ['timeout', new Set(['-s', '-k', '--signal', '--kill-after'])],
  ['command', new Set()],
  ['builtin', new Set()],
  ['exec', new Set(['-a'])],
  ['busybox', new Set()],
  ['xargs', new Set(['-I', '-L', '-n', '-P', '-s', '-a', '-d', '-E'])],
  ['chroot', new Set()],
]);

/** Strips assignments, keywords and prefixes such as `sudo -u root env X=1 nohup`; finds `sh -c` and `eval` scripts. */
export function unwrapCommand(given: readonly string[]): UnwrappedCommand {
  let words = given;
  for (let steps = 0; steps < 32; steps += 1) {
    const [first] = words;
    if (first === undefined) break;
    const name = baseName(first);
    const options = prefixes.get(name);
    if (keywords.has(first) || /^[A-Za-z_]\w*\+?=/.test(first)) words = words.slice(1);
    else if (options !== undefined) words = skipOptions(name, words.slice(1), options);
    else break;
  }
  const [first = '', ...args] = words;
  const name = baseName(first);
  return { words: first === '' ? [] : [name, ...args], scripts: scriptsOf(name, args) };
}

function skipOptions(name: string, words: readonly string[], withValue: ReadonlySet<string>): readonly string[] {
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') return words.slice(index + 1);
    if (name === 'env' && (word === '-S' || word === '--split-string')) {
      return [...(words[index + 1] ?? '').split(/\s+/), ...words.slice(index + 2)];
    }
    if (withValue.has(word)) index += 1;
    else if (!word.startsWith('-')) break;
  }
  // `timeout 5 command` and `chroot folder command` name something of their own first.
  return words.slice(name === 'timeout' || name === 'chroot' ? index + 1 : index);
}

function scriptsOf(name: string, args: readonly string[]): readonly string[] {
  if (name === 'eval') return [args.join(' ')];
  if (!/^(?:(?:ba|z|k|da)?sh|su|runuser)$/.test(name)) return [];
  const at = args.findIndex((word) => /^-[a-z]*c$/.test(word) || word === '--command');
  const script = args[at + 1];
  return at === -1 || script === undefined ? [] : [script];
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
