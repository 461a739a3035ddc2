import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Host } from './host.ts';

/** Where the user's PATH leads for a program; `null` where it leads nowhere. */
export async function findOnPath(host: Host, name: string): Promise<string | null> {
  for (const folder of (host.variables['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    // Whatever keeps it from being run, it is not what is looked for.
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}
