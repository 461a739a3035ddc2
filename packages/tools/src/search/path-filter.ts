import { posix } from 'node:path';
import picomatch from 'picomatch';

/**
 * Whether a file fits a glob: its name, or its path below `root` where the glob has a slash. Without a glob every file
 * does.
 */
export function createPathFilter(root: string, glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const hasSlash = glob.includes('/');
  const matches = picomatch(glob.replace(/^\.?\//, ''), { dot: true });
  return (path) => matches(hasSlash ? posix.relative(root, path) : posix.basename(path));
}
