import type { Stats } from 'node:fs';
import { chmod, mkdir, opendir, readlink, realpath, rm, stat, symlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mapConcurrent } from '@talaria/core';
import { confineLink } from '../link-target.ts';
import type { TransferOptions, TransferResult } from '../sandbox.ts';
import { copyFileAtomically } from './copy-file.ts';
import { followLinks, kindOf, lstatOrNull, statOrNull } from './file-access.ts';
import { localError } from './local-error.ts';

const defaultMaxBytes = 10_737_418_240;
const defaultMaxFiles = 100_000;
const copiesAtOnce = 8;

/** What a walk over a tree found, each by its path relative to the root. */
interface TreePlan {
  readonly folders: { readonly path: string; readonly stats: Stats }[];
  readonly files: { readonly path: string; readonly sizeBytes: number }[];
  readonly links: { readonly path: string; readonly target: string }[];
  readonly skipped: { readonly path: string; readonly reason: string }[];
}

/** Copies a file or a whole tree from one place of this machine to another. */
export async function copyTree(source: string, target: string, options: TransferOptions): Promise<TransferResult> {
  const { maxBytes = defaultMaxBytes, verifyHash = false, signal } = options;
  const stats = await stat(source);
  if (stats.isDirectory()) return await copyFolder(source, target, options);
  if (!stats.isFile()) throw copyError(source, 'is neither a file nor a folder', 'sandbox.failed');
  const end = await followLinks(target);
  const there = await statOrNull(end);
  if (there?.isDirectory())
    throw copyError(end, 'is a folder, and a file was to be copied there', 'sandbox.is-directory');
  if (there !== null && !there.isFile()) throw copyError(end, 'is not a regular file', 'sandbox.failed');
  const copied = await copyFileAtomically(source, end, { maxBytes, verifyHash, signal });
  return { files: 1, skipped: [], ...copied };
}

async function copyFolder(source: string, target: string, options: TransferOptions): Promise<TransferResult> {
  const { maxBytes = defaultMaxBytes, verifyHash = false, signal } = options;
  const root = await realpath(source);
  const plan = await planTree(root, options);
  const made: TreePlan['folders'] = [];
  for (const folder of plan.folders) {
    signal?.throwIfAborted();
    if (await makeFolder(join(target, folder.path), folder.path === '')) made.push(folder);
  }
  let bytes = 0;
  await mapConcurrent(
    plan.files,
    copiesAtOnce,
    async (file) => {
      const end = join(target, file.path);
      const there = await lstatOrNull(end);
      if (there?.isDirectory())
        throw copyError(end, 'is a folder, and a file was to be copied there', 'sandbox.is-directory');
      const copied = await copyFileAtomically(join(root, file.path), end, {
        verifyHash,
        signal,
        maxBytes: maxBytes - bytes,
      });
      bytes += copied.bytes;
    },
    { signal },
  );
  for (const { path, target: linkTarget } of plan.links) {
    signal?.throwIfAborted();
    await makeLink(join(target, path), linkTarget);
  }
  // Innermost first, and last of all: a folder without the right to write could not be filled, and filling changes its time.
  for (const folder of made.toReversed()) {
    await chmod(join(target, folder.path), folder.stats.mode & 0o777);
    await utimes(join(target, folder.path), folder.stats.atime, folder.stats.mtime);
  }
  return { files: plan.files.length, bytes, skipped: plan.skipped };
}

/** Makes a folder of the copy, if it is not there. A link in its place is not followed: it could lead anywhere. */
async function makeFolder(path: string, isRoot: boolean): Promise<boolean> {
  const there = await (isRoot ? statOrNull(path) : lstatOrNull(path));
  if (there?.isSymbolicLink()) throw copyError(path, 'is a link where a folder was to be made', 'sandbox.unsafe-path');
  if (there !== null && !there.isDirectory()) throw copyError(path, 'is no folder', 'sandbox.not-directory');
  if (there === null) await mkdir(path, { recursive: true });
  return there === null;
}

async function makeLink(path: string, target: string): Promise<void> {
  const there = await lstatOrNull(path);
  if (there?.isDirectory())
    throw copyError(path, 'is a folder, and a link was to be made there', 'sandbox.is-directory');
  await rm(path, { force: true });
  await symlink(target, path);
}

/** Walks a tree without following links (unless that is asked for) and keeps the limits before a byte is copied. */
async function planTree(root: string, options: TransferOptions): Promise<TreePlan> {
  const { maxBytes = defaultMaxBytes, maxFiles = defaultMaxFiles, signal } = options;
  const plan: TreePlan = { folders: [], files: [], links: [], skipped: [] };
  const pending: { readonly path: string; readonly ancestors: readonly string[] }[] = [{ path: '', ancestors: [root] }];
  let bytes = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    plan.folders.push({ path: folder.path, stats: await stat(join(root, folder.path)) });
    for await (const entry of await opendir(join(root, folder.path))) {
      signal?.throwIfAborted();
      const path = join(folder.path, entry.name);
      const kind = kindOf(entry);
      const found =
        kind === 'symlink' ? await planLink(root, path, folder.ancestors, plan, options) : { kind, real: null };
      if (found.kind === 'directory') {
        pending.push({ path, ancestors: found.real === null ? folder.ancestors : [...folder.ancestors, found.real] });
      } else if (found.kind === 'file') {
        const { size } = await stat(join(root, path));
        bytes += size;
        plan.files.push({ path, sizeBytes: size });
      } else if (found.kind === 'other') {
        plan.skipped.push({ path, reason: 'neither a file, a folder nor a link' });
      }
      if (bytes > maxBytes) throw tooLarge(root, `more than ${maxBytes} bytes`, 'maxBytes');
      if (plan.files.length > maxFiles || plan.folders.length > maxFiles)
        throw tooLarge(root, `more than ${maxFiles} files`, 'maxFiles');
    }
  }
  return plan;
}

/** Decides on a link; gives what to copy in its place where it is to be followed. */
async function planLink(
  root: string,
  path: string,
  ancestors: readonly string[],
  plan: TreePlan,
  options: TransferOptions,
): Promise<{ readonly kind: 'file' | 'directory' | 'other' | null; readonly real: string | null }> {
  const { symlinks = 'preserve' } = options;
  const nothing = { kind: null, real: null };
  const skip = (reason: string) => {
    plan.skipped.push({ path, reason });
    return nothing;
  };
  if (symlinks === 'skip') return skip('a symbolic link');
  if (symlinks === 'preserve') {
    const target = confineLink(path, await readlink(join(root, path)), root);
    if (target === null) return skip('a symbolic link that points outside the tree');
    plan.links.push({ path, target });
    return nothing;
  }
  const stats = await statOrNull(join(root, path));
  if (stats === null) return skip('a symbolic link that points to nothing');
  const real = await realpath(join(root, path));
  if (real !== root && !real.startsWith(`${root}/`)) return skip('a symbolic link that points outside the tree');
  if (stats.isDirectory()) {
    const containing = await realpath(dirname(join(root, path)));
    const isCircle = [...ancestors, containing].some((folder) => folder === real || folder.startsWith(`${real}/`));
    return isCircle ? skip('a symbolic link to a folder that holds it') : { kind: 'directory', real };
  }
  return { kind: stats.isFile() ? 'file' : 'other', real: null };
}

function tooLarge(root: string, what: string, option: string): unknown {
  return localError(`${JSON.stringify(root)} has ${what}`, {
    code: 'sandbox.too-large',
    phase: 'transfer',
    started: false,
    hint: `Copy less at once, or raise ${option}.`,
  });
}

function copyError(path: string, what: string, code: `sandbox.${string}`): unknown {
  return localError(`${JSON.stringify(path)} ${what}`, {
    code,
    phase: 'transfer',
    started: true,
    hint: 'Use another target, or remove what is there first.',
  });
}
