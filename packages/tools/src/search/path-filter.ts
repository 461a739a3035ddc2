import { posix } from 'node:path';
import { compileGlob } from './compile-glob.ts';

/** Most stars in one part of a glob: `find` tries a long name in a number of ways that each of them multiplies. */
const maxStars = 4;
/** Most `**` in a glob. */
const maxGlobstars = 3;
const maxGlobChars = 1_000;

/** Why a glob is not tried, where it could take forever; it comes from the model. */
export function globProblem(glob: string): string | undefined {
  if (glob.length > maxGlobChars) return `The glob is longer than ${maxGlobChars} characters; use a simpler one`;
  const parts = glob.split('/');
  if (parts.filter((part) => part === '**').length > maxGlobstars)
    return `The glob has more than ${maxGlobstars} **; use a simpler one`;
  const isCrowded = parts.some((part) => part.split('*').length - 1 > maxStars);
  return isCrowded ? `A part of the glob has more than ${maxStars} stars; use a simpler one` : undefined;
}

/**
 * Whether a file fits a glob: its name, or its path below `root` where the glob has a slash. Without a glob every file
 * does.
 */
export function createPathFilter(root: string, glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const relative = glob.startsWith(`${root}/`) ? glob.slice(root.length + 1) : glob.replace(/^\.?\//, '');
  const hasSlash = glob.includes('/');
  const matches = compileGlob(relative);
  return (path) => matches(hasSlash ? posix.relative(root, path) : posix.basename(path));
}
