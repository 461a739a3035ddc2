import { posix } from 'node:path';
import { homeMark } from './shell-word.ts';

const deleteRule = 'deleting a top-level folder or the home folder';

/** The rule that a recursive change of everything breaks: `rm -r`, `find -delete`, `chmod -R`, `chown -R`. */
export function forbiddenDelete(name: string, args: readonly string[], folder: string | undefined): string | undefined {
  const targets = args.filter((word) => !word.startsWith('-')).map((word) => absolutePath(word, folder));
  if (name === 'rm' && isRecursive(args, /[rR]/) && targets.some(isVital)) return deleteRule;
  if (name === 'find' && isDeletingFind(args)) {
    const firstTest = args.findIndex((word) => word.startsWith('-'));
    const roots = args.slice(0, firstTest === -1 ? undefined : firstTest).map((word) => absolutePath(word, folder));
    // With a test (`-name`, `-mtime`) it deletes a choice, not everything.
    const hasTest = args.some((word) => /^-(?:i?name|i?path|i?regex|[acm](?:time|min)|size|user|newer\w*)$/.test(word));
    if (roots.some((root) => (hasTest ? root === '/' : isVital(root)))) return deleteRule;
  }
  if (['chmod', 'chown', 'chgrp'].includes(name) && isRecursive(args, /R/)) {
    if (targets.some((target) => target === '/' || target === '/*'))
      return 'changing the modes or owners of everything';
  }
  return undefined;
}

function isRecursive(args: readonly string[], letter: RegExp): boolean {
  return args.some((word) => word === '--recursive' || (/^-[A-Za-z]+$/.test(word) && letter.test(word)));
}

function isDeletingFind(args: readonly string[]): boolean {
  const program = args[args.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word)) + 1] ?? '';
  return args.includes('-delete') || (args.some((word) => /^-(?:exec|ok)/.test(word)) && /(?:^|\/)rm$/.test(program));
}

/** Resolves a word against the folder that a `cd` before it named, where that is known. */
function absolutePath(word: string, folder: string | undefined): string {
  if (word.startsWith('/') || word.startsWith(homeMark)) return posix.normalize(word);
  return folder === undefined ? word : posix.normalize(`${folder}/${word}`);
}

/** Whether a path is `/`, a folder right below it, the home folder, or everything in one of them. */
function isVital(path: string): boolean {
  const bare = withoutEndSlashes(path);
  if (bare === '' && path !== '') return true;
  if (bare === '/*' || bare === '/.*') return true;
  if (bare === homeMark) return true;
  if (bare.startsWith(`${homeMark}/`) && /^(?:\.?\*|\{.*\})$/.test(bare.slice(2))) return true;
  // Emptying the folder for temporary files is an everyday thing.
  return /^\/[^/]+$/.test(bare) || /^\/(?!tmp\/)[^/]+\/\.?\*$/.test(bare);
}

/** In a loop: a pattern would try each of a million slashes that are not the end. */
function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
