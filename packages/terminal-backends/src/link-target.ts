import { posix } from 'node:path';

/**
 * The text that a symbolic link of a copied tree gets, or `null` where the link would leave the tree.
 *
 * A target is accepted only in the form `../../a/b`: leading `..` count from the folder of the link, which the copy makes
 * as a real folder, so they mean what they say; what follows may pass through other links, which are inside by the same
 * rule. A `..` after a name could climb out through a link that leads up. An absolute target inside `root` is made
 * relative, so that the copy does not point back to where it came from.
 */
export function confineLink(linkPath: string, target: string, root: string): string | null {
  const folder = posix.dirname(linkPath);
  if (posix.isAbsolute(target)) {
    const inside = posix.relative(root, target);
    if (hasLateParent(target.split('/')) || isOutside(inside)) return null;
    return posix.relative(folder, inside) || '.';
  }
  if (target === '' || hasLateParent(target.split('/'))) return null;
  return isOutside(posix.join(folder, target)) ? null : target;
}

function isOutside(relativePath: string): boolean {
  return relativePath === '..' || relativePath.startsWith('../');
}

function hasLateParent(parts: readonly string[]): boolean {
  const names = parts.filter((part) => part !== '' && part !== '.');
  const firstName = names.findIndex((part) => part !== '..');
  return firstName !== -1 && names.includes('..', firstName);
}
