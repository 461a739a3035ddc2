import { forbiddenDelete } from './forbidden-delete.ts';
import { forbiddenWrite } from './forbidden-write.ts';
import { readShellCommands, type ShellCommand } from './shell-commands.ts';
import { unwrapCommand } from './unwrap-command.ts';

/** Deepest nesting of shells in shells that is looked into. */
const maxDepth = 8;

/**
 * The rule that a shell script breaks, if it would destroy the machine: deleting a top-level folder or the home folder,
 * formatting or overwriting a disk, a fork bomb, killing everything, stopping the machine, writing the password files,
 * changing the modes of everything. Looks at words as the shell would split them, so `echo "rm -rf /"` breaks none.
 */
export function findForbiddenCommand(script: string, depth = 0): string | undefined {
  if (isForkBomb(script)) return 'fork bomb';
  let folder: string | undefined;
  for (const command of readShellCommands(script)) {
    const unwrapped = unwrapCommand(command.words);
    const [name, ...args] = unwrapped.words;
    const rule =
      ruleOf({ ...command, words: unwrapped.words }, folder) ?? nestedRule(unwrapped.scripts, command, depth);
    if (rule !== undefined) return rule;
    if (name === 'cd' || name === 'pushd') folder = args.find((word) => !word.startsWith('-'));
  }
  return undefined;
}

function nestedRule(scripts: readonly string[], command: ShellCommand, depth: number): string | undefined {
  if (depth >= maxDepth) return undefined;
  const isShell = /^(?:ba|z|k|da)?sh$/.test(unwrapCommand(command.words).words[0] ?? '');
  const nested = isShell && command.input !== '' ? [...scripts, command.input] : scripts;
  for (const script of nested) {
    const rule = findForbiddenCommand(script, depth + 1);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

function ruleOf(command: ShellCommand, folder: string | undefined): string | undefined {
  const [name = '', ...args] = command.words;
  return (
    forbiddenWrite(command) ??
    forbiddenDelete(name, args, folder) ??
    (/^mk(?:fs(?:\..+)?|e2fs|swap)$|^wipefs$/.test(name) && args.length > 0 ? 'formatting a file system' : undefined) ??
    (isKillOfEverything(name, args) ? 'killing the first process, or all of them' : undefined) ??
    (isMachineStop(name, args) ? 'stopping the machine' : undefined)
  );
}

function isKillOfEverything(name: string, args: readonly string[]): boolean {
  if (name !== 'kill') return false;
  const targets = [...args];
  if (targets[0] === '-s' || targets[0] === '-n') targets.splice(0, 2);
  else if (/^-\w+$/.test(targets[0] ?? '') && targets.length > 1) targets.shift();
  if (targets[0] === '--') targets.shift();
  return targets.some((target) => target === '1' || target === '-1');
}

function isMachineStop(name: string, args: readonly string[]): boolean {
  if (['shutdown', 'reboot', 'halt', 'poweroff'].includes(name)) return !args.includes('--help');
  if (name === 'init' || name === 'telinit') return args[0] === '0' || args[0] === '6';
  return name === 'systemctl' && args.some((word) => /^(?:poweroff|reboot|halt|kexec|emergency|rescue)$/.test(word));
}

/** Text in quotes. Double ones need no end: where it was looked for in vain, each quote behind them would look again. */
const quoted = /'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*("?)/g;

/** What is in no quotes, or in such as never end. */
function withoutClosed(text: string, end: string | undefined): string {
  return end === '' ? text : '';
}

/** A function that calls itself twice, once in the background: `:(){ :|:& };:` under any name and spacing, in any line. */
function isForkBomb(script: string): boolean {
  const bare = script.replaceAll(quoted, withoutClosed).replaceAll('\n', ';').replaceAll(/\s+/g, '');
  return /(?:^|[;&|{(])(?:function)?([^\s;&|(){}]{1,64})\(\);*\{;*\1;*\|;*\1&;*\}/.test(bare);
}
