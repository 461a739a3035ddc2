import type { Stats } from 'node:fs';
import { opendir, readlink, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SandboxError, systemErrorCode } from '@talaria/core';
import { confineLink } from '../link-target.ts';
import type { BackendKind, FileKind, TransferOptions } from '../sandbox.ts';
import { kindOf, lstatOrNull, nullWhereMissing, statOrNull } from './path-stats.ts';

/** Most bytes of one transfer where the call names no limit. */
export const defaultMaxBytes = 10_737_418_240;
/** Most files of one transfer where the call names no limit. */
export const defaultMaxFiles = 100_000;

/** What a walk over a tree found, each by its path relative to the root. */
export interface TreePlan {
  readonly folders: { readonly path: string; readonly stats: Stats }[];
  readonly files: { readonly path: string }[];
  readonly links: { readonly path: string; readonly target: string }[];
  readonly skipped: { readonly path: string; readonly reason: string }[];
}

/** Why something is not copied. */
export const skipReasons = {
  removed: 'removed before it was copied',
  badName: 'its name is not UTF-8',
  irregular: 'neither a file, a folder nor a link',
  link: 'a symbolic link',
  outsideLink: 'a symbolic link that points outside the tree',
  brokenLink: 'a symbolic link that points to nothing',
  circularLink: 'a symbolic link to a folder that holds it',
} as const;

/** A folder that is still to be walked, with the real folders above it. */
interface PendingFolder {
  readonly path: string;
  readonly ancestors: readonly string[];
}

/** Walks a tree without following links (unless that is asked for) and keeps the limits before a byte is copied. */
export async function planTree(root: string, backend: BackendKind, options: TransferOptions): Promise<TreePlan> {
  const { maxBytes = defaultMaxBytes, maxFiles = defaultMaxFiles, signal } = options;
  const plan: TreePlan = { folders: [], files: [], links: [], skipped: [] };
  const pending: PendingFolder[] = [{ path: '', ancestors: [root] }];
  let bytes = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const stats = await statOrNull(join(root, folder.path));
    const entries = await opendir(join(root, folder.path)).catch(nullWhereMissing);
    if (stats === null || entries === null) {
      plan.skipped.push({ path: folder.path, reason: skipReasons.removed });
      continue;
    }
    plan.folders.push({ path: folder.path, stats });
    for await (const entry of entries) {
      signal?.throwIfAborted();
      const path = join(folder.path, entry.name);
      bytes += await planEntry(root, path, folder.ancestors, { plan, pending, options });
      if (bytes > maxBytes) throw treeTooLarge(root, backend, 'maxBytes', maxBytes);
      if (plan.files.length > maxFiles || plan.folders.length > maxFiles)
        throw treeTooLarge(root, backend, 'maxFiles', maxFiles);
    }
  }
  return plan;
}

interface PlanTools {
  readonly plan: TreePlan;
  readonly pending: PendingFolder[];
  readonly options: TransferOptions;
}

/** Puts one entry into the plan; gives the bytes that it will take. */
async function planEntry(
  root: string,
  path: string,
  ancestors: readonly string[],
  { plan, pending, options }: PlanTools,
): Promise<number> {
  const stats = await lstatOrNull(join(root, path));
  if (stats === null) {
    plan.skipped.push({ path, reason: reasonOfAbsence(path) });
    return 0;
  }
  const kind = kindOf(stats);
  const found =
    kind === 'symlink'
      ? await planLink(root, path, ancestors, plan, options).catch(nullWhereMissing)
      : { kind, real: null, stats };
  if (found === null) {
    plan.skipped.push({ path, reason: skipReasons.removed });
    return 0;
  }
  if (found.kind === 'directory') {
    pending.push({ path, ancestors: found.real === null ? ancestors : [...ancestors, found.real] });
  } else if (found.kind === 'file') {
    plan.files.push({ path });
    return found.stats.size;
  } else if (found.kind === 'other') {
    plan.skipped.push({ path, reason: skipReasons.irregular });
  }
  return 0;
}

/** What is to be copied in a link's place; nothing where the link itself is in the plan. */
type LinkPlan =
  | { readonly kind: null; readonly real: null }
  | { readonly kind: FileKind; readonly real: string | null; readonly stats: Stats };

/** Decides on a link; gives what to copy in its place where it is to be followed. */
async function planLink(
  root: string,
  path: string,
  ancestors: readonly string[],
  plan: TreePlan,
  options: TransferOptions,
): Promise<LinkPlan> {
  const { symlinks = 'preserve' } = options;
  const nothing = { kind: null, real: null } as const;
  const skip = (reason: string) => {
    plan.skipped.push({ path, reason });
    return nothing;
  };
  if (symlinks === 'skip') return skip(skipReasons.link);
  if (symlinks === 'preserve') {
    const target = confineLink(path, await readlink(join(root, path)), root);
    if (target === null) return skip(skipReasons.outsideLink);
    plan.links.push({ path, target });
    return nothing;
  }
  const stats = await statOrNull(join(root, path)).catch(nullForCircle);
  if (stats === null) return skip(skipReasons.brokenLink);
  const real = await realpath(join(root, path));
  if (real !== root && !real.startsWith(`${root}/`)) return skip(skipReasons.outsideLink);
  if (stats.isDirectory()) {
    const containing = await realpath(dirname(join(root, path)));
    const isCircle = [...ancestors, containing].some((folder) => folder === real || folder.startsWith(`${real}/`));
    return isCircle ? skip(skipReasons.circularLink) : { kind: 'directory', real, stats };
  }
  return { kind: stats.isFile() ? 'file' : 'other', real: null, stats };
}

/** A link that leads to itself leads nowhere. */
function nullForCircle(error: unknown): null {
  if (systemErrorCode(error) === 'ELOOP') return null;
  throw error;
}

/** The error of a tree that has more than a limit allows. */
export function treeTooLarge(
  root: string,
  backend: BackendKind,
  option: 'maxBytes' | 'maxFiles',
  limit: number,
): SandboxError {
  const what = option === 'maxBytes' ? 'bytes' : 'files';
  return new SandboxError(`${JSON.stringify(root)} has more than ${limit} ${what}`, {
    backend,
    code: 'sandbox.too-large',
    phase: 'transfer',
    started: false,
    hint: `Copy less at once, or raise ${option}.`,
  });
}

/** What stands for bytes that are no UTF-8, so that the name cannot be used. */
const replacementCharacter = '\uFFFD';

function reasonOfAbsence(path: string): string {
  return path.includes(replacementCharacter) ? skipReasons.badName : skipReasons.removed;
}
