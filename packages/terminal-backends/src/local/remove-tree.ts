import { randomBytes } from 'node:crypto';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { systemErrorCode } from '@talaria/core';
import { lstatOrNull } from '../host-files/path-stats.ts';

/** Removes whatever a path names, also where a program has made that hard: by rights, or by the depth of its folders. */
export async function removeTree(path: string): Promise<void> {
  try {
    await removeAll(path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ENAMETOOLONG') throw error;
    if ((await lstatOrNull(path))?.isDirectory() === false) throw error;
    await makeRemovable(path);
    await removeAll(path);
  }
}

function removeAll(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Linux takes paths of 4,095 bytes and macOS of 1,023; a name below may have 255. */
const maxFolderBytes = 700;

/**
 * Gives every folder of a tree the rights to be emptied, and takes those that lie too deep for a path up to its root.
 * Names are bytes here: they need not be UTF-8. The removal that failed may still be at work on other branches, so any
 * folder may be gone by now.
 */
async function makeRemovable(root: string): Promise<void> {
  const rootBytes = Buffer.from(root);
  const limit = rootBytes.length + maxFolderBytes;
  const pending = [rootBytes];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const found of await foldersIn(folder).catch(noneWhereMissing)) {
      pending.push(found.length <= limit ? found : await takeUp(found, root));
    }
  }
}

async function foldersIn(folder: Buffer): Promise<Buffer<ArrayBuffer>[]> {
  await chmod(folder, 0o700);
  const entries = await readdir(folder, { encoding: 'buffer', withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => Buffer.concat([folder, Buffer.from('/'), entry.name]));
}

async function takeUp(folder: Buffer, root: string): Promise<Buffer<ArrayBuffer>> {
  const above = Buffer.from(`${root}/.talaria-${randomBytes(8).toString('hex')}`);
  // A folder that moves gets another parent, and for that it must be writable itself.
  await chmod(folder, 0o700);
  await rename(folder, above);
  return above;
}

function noneWhereMissing(error: unknown): [] {
  if (systemErrorCode(error) === 'ENOENT') return [];
  throw error;
}
