import { posix } from 'node:path';
import { skipReasons } from '../../host-files/plan-tree.ts';
import type { TreeDownload } from './tree-download.ts';
import type { WrittenKind } from './tree-writer.ts';

/** Where a path of a tree leads, links followed. */
type Destination =
  | { readonly kind: 'file' | 'directory'; readonly path: string }
  | { readonly kind: 'outside' }
  | { readonly kind: 'nothing' };

const maxHops = 40;

/**
 * Puts copies of what links point to in their places, from what was unpacked already: the sandbox is not asked again, so
 * that nothing in it can change what a link means. Links that lead out of the tree are left out, and circles.
 */
export async function copyLinkTargets(download: TreeDownload): Promise<void> {
  const kinds = new Map(download.writer.entries);
  const tree = { download, kinds, children: childrenOf([...kinds.keys(), ...download.links.keys()]) };
  for (const path of download.links.keys()) {
    await copyLinkTarget(tree, { link: path, place: path, ancestors: [] });
  }
}

/** What was unpacked, without the copies. */
interface UnpackedTree {
  readonly download: TreeDownload;
  readonly kinds: ReadonlyMap<string, WrittenKind>;
  readonly children: ReadonlyMap<string, readonly string[]>;
}

interface LinkToCopy {
  /** Path of the link itself. */
  readonly link: string;
  /** Where what it points to goes: below another link, that is somewhere else. */
  readonly place: string;
  /** Folders that are being copied, by their own paths. */
  readonly ancestors: readonly string[];
}

async function copyLinkTarget(tree: UnpackedTree, { link, place, ancestors }: LinkToCopy): Promise<void> {
  const { skipped, limits } = tree.download;
  const found = followInside(tree, link);
  function skip(reason: string): void {
    limits.add('others');
    skipped.push({ path: place, reason });
  }
  if (found.kind === 'nothing') skip(skipReasons.brokenLink);
  else if (found.kind === 'outside') skip(skipReasons.outsideLink);
  else if (found.kind === 'file') await copyFile(tree.download, found.path, place);
  else if ([...ancestors, parentOf(link)].some((folder) => isOrHolds(found.path, folder))) {
    skip(skipReasons.circularLink);
  } else {
    await copyFolder(tree, { from: found.path, to: place, ancestors: [...ancestors, found.path] });
  }
}

async function copyFile({ writer, limits }: TreeDownload, from: string, to: string): Promise<void> {
  limits.add('files', await writer.sizeOf(from));
  await writer.addCopy(to, from);
}

async function copyFolder(
  tree: UnpackedTree,
  { from, to, ancestors }: { readonly from: string; readonly to: string; readonly ancestors: readonly string[] },
): Promise<void> {
  const { download, kinds, children } = tree;
  const { writer, limits, call, links } = download;
  limits.add('folders');
  await writer.addFolder(to, writer.folderStats(from));
  for (const name of children.get(from) ?? []) {
    call.signal?.throwIfAborted();
    const [source, place] = [posix.join(from, name), posix.join(to, name)];
    if (links.has(source)) await copyLinkTarget(tree, { link: source, place, ancestors });
    else if (kinds.get(source) === 'directory') await copyFolder(tree, { from: source, to: place, ancestors });
    else if (kinds.get(source) === 'file') await copyFile(download, source, place);
  }
}

/** Follows a path through the links of the tree, as the system of the sandbox would. */
function followInside({ download, kinds }: UnpackedTree, start: string): Destination {
  const { root, links } = download;
  const rootParts = partsOf(root);
  let current = [...rootParts];
  const pending = partsOf(start).reverse();
  for (let hops = 0; ; ) {
    const part = pending.pop();
    if (part === undefined) break;
    if (part === '..') {
      current.pop();
      continue;
    }
    current.push(part);
    if (current.length <= rootParts.length) {
      // Above the tree; only the way back down to it is known.
      if (current.at(-1) !== rootParts[current.length - 1]) return { kind: 'outside' };
      continue;
    }
    const path = current.slice(rootParts.length).join('/');
    const target = links.get(path);
    if (target === undefined) {
      const kind = kinds.get(path);
      if (kind === undefined || (kind === 'file' && pending.length > 0)) return { kind: 'nothing' };
      continue;
    }
    hops += 1;
    if (hops > maxHops || target === '') return { kind: 'nothing' };
    current = target.startsWith('/') ? [] : current.slice(0, -1);
    pending.push(...partsOf(target).reverse());
  }
  if (current.length < rootParts.length) return { kind: 'outside' };
  const path = current.slice(rootParts.length).join('/');
  return { kind: kinds.get(path) === 'file' ? 'file' : 'directory', path };
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function parentOf(path: string): string {
  const parent = posix.dirname(path);
  return parent === '.' ? '' : parent;
}

/** Whether the first of two paths of the tree is the second or a folder that holds it. */
function isOrHolds(path: string, other: string): boolean {
  return path === '' || path === other || other.startsWith(`${path}/`);
}

function childrenOf(paths: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const path of new Set(paths)) {
    if (path === '') continue;
    const parent = parentOf(path);
    const names = children.get(parent);
    if (names === undefined) children.set(parent, [posix.basename(path)]);
    else names.push(posix.basename(path));
  }
  return children;
}
