import { open } from 'node:fs/promises';
import { systemErrorCode } from '@talaria/core';
import { withStorageErrors } from './storage-error.ts';

/** What systems answer that cannot open or flush a folder (Windows, some network file systems). */
const unsupported: ReadonlySet<string | undefined> = new Set(['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EBADF']);

/** Makes the names in a folder durable: a new file survives a loss of power only once its folder is on disk. */
export async function syncFolder(path: string): Promise<void> {
  await withStorageErrors('write', path, async () => {
    try {
      const handle = await open(path, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (!unsupported.has(systemErrorCode(error))) throw error;
    }
  });
}
