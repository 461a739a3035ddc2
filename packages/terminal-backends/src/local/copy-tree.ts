import { chmod, realpath, rm, stat, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, mapConcurrent } from '@talaria/core';
import { followLinks, openRegularFile } from '../host-files/host-file.ts';
import { lstatOrNull, nullWhereMissing, statOrNull } from '../host-files/path-stats.ts';
import { defaultMaxBytes, planTree, skipReasons, type TreePlan } from '../host-files/plan-tree.ts';
import type { TransferOptions, TransferResult } from '../sandbox.ts';
import { copyFileAtomically } from './copy-file.ts';
import { localError } from './local-error.ts';

const copiesAtOnce = 8;

/** Copies a file or a whole tree from one place of this machine to another. */
export async function copyTree(source: string, target: string, options: TransferOptions): Promise<TransferResult> {
  const { maxBytes = defaultMaxBytes, verifyHash = false, signal } = options;
  const stats = await stat(source);
  if (stats.isDirectory()) return await copyFolder(source, target, options);
  if (!stats.isFile()) throw copyError(source, 'is neither a file nor a folder', 'sandbox.failed');
  const end = await followLinks(target, 'local');
  const there = await statOrNull(end);
  if (there?.isDirectory())
    throw copyError(end, 'is a folder, and a file was to be copied there', 'sandbox.is-directory');
  if (there !== null && !there.isFile()) throw copyError(end, 'is not a regular file', 'sandbox.failed');
  await using file = await openRegularFile(source, 'local');
  const copied = await copyFileAtomically({ path: source, file }, end, { maxBytes, verifyHash, signal });
  return { files: 1, skipped: [], ...copied };
}

async function copyFolder(source: string, target: string, options: TransferOptions): Promise<TransferResult> {
  const { signal } = options;
  const root = await realpath(source);
  const plan = await planTree(root, 'local', options);
  const made: TreePlan['folders'] = [];
  for (const folder of plan.folders) {
    signal?.throwIfAborted();
    if (await makeCopiedFolder(join(target, folder.path), folder.path === '')) made.push(folder);
  }
  const moved = await copyFiles(root, target, plan, options);
  for (const { path, target: linkTarget } of plan.links) {
    signal?.throwIfAborted();
    await makeLink(join(target, path), linkTarget);
  }
  // Innermost first, and last of all: a folder without the right to write could not be filled, and filling changes its time.
  for (const folder of made.toReversed()) {
    await chmod(join(target, folder.path), folder.stats.mode & 0o777);
    await utimes(join(target, folder.path), folder.stats.atime, folder.stats.mtime);
  }
  return { ...moved, skipped: plan.skipped };
}

async function copyFiles(
  root: string,
  target: string,
  plan: TreePlan,
  options: TransferOptions,
): Promise<Pick<TransferResult, 'files' | 'bytes'>> {
  const { maxBytes = defaultMaxBytes, verifyHash = false, signal, symlinks } = options;
  let files = 0;
  let bytes = 0;
  async function copyOne({ path }: TreePlan['files'][number]): Promise<void> {
    const end = join(target, path);
    const there = await lstatOrNull(end);
    if (there?.isDirectory())
      throw copyError(end, 'is a folder, and a file was to be copied there', 'sandbox.is-directory');
    const source = join(root, path);
    // Programs go on while their files are copied.
    await using file = await openRegularFile(source, 'local', symlinks === 'follow').catch(nullWhereMissing);
    if (file === null) {
      plan.skipped.push({ path, reason: skipReasons.removed });
      return;
    }
    const copied = await copyFileAtomically({ path: source, file }, end, {
      verifyHash,
      signal,
      maxBytes: maxBytes - bytes,
    });
    files += 1;
    bytes += copied.bytes;
  }
  await mapConcurrent(plan.files, copiesAtOnce, copyOne, { signal });
  return { files, bytes };
}

/** Makes a folder of the copy, if it is not there. A link in its place is not followed: it could lead anywhere. */
async function makeCopiedFolder(path: string, isRoot: boolean): Promise<boolean> {
  const there = await (isRoot ? statOrNull(path) : lstatOrNull(path));
  if (there?.isSymbolicLink()) throw copyError(path, 'is a link where a folder was to be made', 'sandbox.unsafe-path');
  if (there !== null && !there.isDirectory()) throw copyError(path, 'is no folder', 'sandbox.not-directory');
  if (there === null) await makeFolder(path);
  return there === null;
}

async function makeLink(path: string, target: string): Promise<void> {
  const there = await lstatOrNull(path);
  if (there?.isDirectory())
    throw copyError(path, 'is a folder, and a link was to be made there', 'sandbox.is-directory');
  await rm(path, { force: true });
  await symlink(target, path);
}

function copyError(path: string, what: string, code: `sandbox.${string}`): unknown {
  return localError(`${JSON.stringify(path)} ${what}`, {
    code,
    phase: 'transfer',
    started: true,
    hint: 'Use another target, or remove what is there first.',
  });
}
