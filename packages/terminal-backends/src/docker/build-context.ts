import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { systemErrorCode } from '@talaria/core';
import { tarBlockBytes, tarPadding, writeTarHeader } from '../remote/files/tar-header.ts';
import { type IgnoreRules, parseDockerIgnore } from './docker-ignore.ts';

const ignoreFile = '.dockerignore';

/**
 * Packs the folder that an image is built from, without what its `.dockerignore` names; that file and the Dockerfile go
 * along always. Links are kept as links, modes are kept, owners and times are not, so that equal folders are equal archives.
 */
export async function* packBuildContext(
  context: string,
  dockerfile: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const rules = parseDockerIgnore(await readIgnoreFile(context));
  const needed = new Set([ignoreFile, posix.normalize(dockerfile)]);
  for await (const path of walk(context, rules, needed)) {
    signal.throwIfAborted();
    yield* packEntry(context, path);
  }
  yield Buffer.alloc(tarBlockBytes * 2);
}

async function readIgnoreFile(context: string): Promise<string> {
  try {
    return await readFile(join(context, ignoreFile), 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Paths in the order of their names, each folder before what is in it. */
async function* walk(
  context: string,
  rules: IgnoreRules,
  needed: ReadonlySet<string>,
  folder = '',
): AsyncGenerator<string> {
  const entries = await readdir(join(context, folder), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = posix.join(folder, entry.name);
    const isWanted = needed.has(path) || !rules.isIgnored(path);
    if (isWanted) yield path;
    if (!entry.isDirectory()) continue;
    const holdsNeeded = [...needed].some((file) => file.startsWith(`${path}/`));
    if (isWanted || rules.hasExceptions || holdsNeeded) yield* walk(context, rules, needed, path);
  }
}

async function* packEntry(context: string, path: string): AsyncGenerator<Buffer> {
  const place = join(context, path);
  const stats = await lstat(place);
  const plain = { name: path, mode: stats.mode & 0o7777, sizeBytes: 0, modifiedSeconds: 0 };
  if (stats.isDirectory()) yield writeTarHeader({ ...plain, kind: 'directory' });
  else if (stats.isSymbolicLink()) {
    yield writeTarHeader({ ...plain, kind: 'symlink', linkName: await readlink(place) });
  } else if (stats.isFile()) {
    yield writeTarHeader({ ...plain, kind: 'file', sizeBytes: stats.size });
    yield* readExactly(place, stats.size);
    if (tarPadding(stats.size) > 0) yield Buffer.alloc(tarPadding(stats.size));
  }
}

/** The header has told the size: a file that grows is cut, one that shrinks is an error. */
async function* readExactly(place: string, sizeBytes: number): AsyncGenerator<Buffer> {
  if (sizeBytes === 0) return;
  let remaining = sizeBytes;
  for await (const chunk of createReadStream(place, { end: sizeBytes - 1 })) {
    remaining -= chunk.length;
    yield chunk;
  }
  if (remaining > 0) throw new Error(`${place} became shorter while it was read`);
}
