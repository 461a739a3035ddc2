import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemErrorCode } from './errors.ts';

/** Options of {@link makeFolder}. */
export interface MakeFolderOptions {
  /** Permission bits of what is made, before the process's mask. @default 0o777 */
  readonly mode?: number | undefined;
}

/**
 * Makes a folder and its missing parents, and says whether anything was made. Rejects with the system's error.
 *
 * Stands in for Node's `mkdir` with `recursive`, which never ends where a folder exists in which none can be made
 * (`/proc`): there the system says `ENOENT` of the child although the parent is there.
 */
export async function makeFolder(path: string, options: MakeFolderOptions = {}): Promise<boolean> {
  const { mode = 0o777 } = options;
  const missing: string[] = [];
  let current = resolve(path);
  let outcome = await tryToMake(current, mode);
  while (outcome === 'no-parent') {
    missing.push(current);
    current = dirname(current);
    outcome = await tryToMake(current, mode);
  }
  let isMade = outcome === 'made';
  for (const folder of missing.reverse()) {
    if ((await tryToMake(folder, mode, true)) === 'made') isMade = true;
  }
  return isMade;
}

async function tryToMake(
  path: string,
  mode: number,
  hasParent = path === dirname(path),
): Promise<'made' | 'there' | 'no-parent'> {
  try {
    await mkdir(path, { mode });
    return 'made';
  } catch (error) {
    if (await isFolder(path)) return 'there';
    if (systemErrorCode(error) !== 'ENOENT' || hasParent) throw error;
    // Where the parent is there now, somebody else made it in between: then another try decides.
    return (await isFolder(dirname(path))) ? tryToMake(path, mode, true) : 'no-parent';
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
