import { posix } from 'node:path';
import type { SandboxHandle } from '@talaria/terminal-backends';

/** Folders that hold no files but what the system tells of itself, of processes and of devices. */
const systemFolders = ['/proc', '/sys', '/dev'];

/** Whether a folder is one of those, or in one: searching it might never end, and finds secrets of other processes. */
export function isSystemFolder(path: string): boolean {
  const isShared = path === '/dev/shm' || path.startsWith('/dev/shm/');
  return !isShared && systemFolders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** Where an engine starts. */
export interface SearchRoots {
  /** Absolute path of a folder. */
  readonly base: string;
  /** Files and folders in it that are searched; `.` for all of it. */
  readonly names: readonly string[];
}

/**
 * What is searched below a path, in the order of names: the file, or all of the folder; where that is the root of
 * everything, what is in it but the system's own folders and links.
 */
export async function searchRoots(
  root: string,
  kind: 'file' | 'directory',
  includeHidden: boolean,
  { sandbox, signal }: { readonly sandbox: SandboxHandle; readonly signal: AbortSignal },
): Promise<SearchRoots> {
  if (kind === 'file') return { base: posix.dirname(root), names: [posix.basename(root)] };
  if (root !== '/') return { base: root, names: ['.'] };
  const entries = await sandbox.list('/', { signal });
  const names = entries
    .filter((entry) => (entry.kind === 'file' || entry.kind === 'directory') && !isSystemFolder(`/${entry.name}`))
    .map(({ name }) => name)
    .filter((name) => includeHidden || !name.startsWith('.'));
  return { base: '/', names };
}

/** The same as absolute paths. */
export function absoluteRoots({ base, names }: SearchRoots): readonly string[] {
  return names.map((name) => posix.join(base, name));
}
