import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '@talaria/core';

/** Links that a path may pass through, as in the kernel. */
const maxLinks = 40;

/**
 * Path below `root` of an absolute path inside it. `node:fs` would follow links from the host's root; here they are
 * followed from this one, and `..` never leads above it.
 */
export async function resolveInRoot(root: string, path: string, isLink: boolean): Promise<string> {
  let left = path.split('/').filter(isName);
  let done: string[] = [];
  let links = 0;
  while (left.length > 0) {
    const [name = '', ...rest] = left;
    left = rest;
    if (name === '..') {
      done.pop();
      continue;
    }
    const place = join(root, ...done, name);
    const target = isLink && left.length === 0 ? null : await linkTarget(place);
    if (target === null) {
      done.push(name);
      continue;
    }
    links += 1;
    if (links > maxLinks) throw Object.assign(new Error(`ELOOP: too many links, '${path}'`), { code: 'ELOOP' });
    if (target.startsWith('/')) done = [];
    left = [...target.split('/').filter(isName), ...left];
  }
  return join(root, ...done);
}

function isName(part: string): boolean {
  return part !== '' && part !== '.';
}

async function linkTarget(place: string): Promise<string | null> {
  try {
    return (await lstat(place)).isSymbolicLink() ? await readlink(place) : null;
  } catch (error) {
    // What is not there is no link; the call that follows says what is wrong.
    if (systemErrorCode(error) !== undefined) return null;
    throw error;
  }
}
