import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorMessage, systemErrorCode } from '@talaria/core';
import { formatNumber } from '../format-quantity.ts';
import type { Host } from '../host.ts';
import { stateFolder } from '../state-folder.ts';
import type { Finding } from './finding.ts';

/** Looks at the folder for state: where it is, whether it can be used, and how many sandboxes it knows. */
export async function probeState(host: Host): Promise<Finding> {
  const folder = stateFolder(host);
  const base = { name: 'state folder', isRequired: true };
  try {
    await checkWritable(folder);
    const count = await countSandboxes(folder);
    const known =
      count === 0
        ? 'holds no sandbox'
        : `holds ${formatNumber(count, 'sandbox', 'sandboxes')}: in use, or removed by the next run`;
    return { ...base, status: 'ok', detail: folder, hint: `${known}; TERMINAL_SANDBOX_DIR moves it` };
  } catch (error) {
    return {
      ...base,
      status: 'broken',
      detail: `${folder}: ${errorMessage(error)}`,
      hint: 'Make it writable, or name another one in TERMINAL_SANDBOX_DIR',
    };
  }
}

/** Every sandbox of the local backend has an entry in the ledger, from before it is made until after it is gone. */
async function countSandboxes(folder: string): Promise<number> {
  try {
    return (await readdir(join(folder, 'sandboxes'))).filter((name) => name.endsWith('.json')).length;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** Passes where the folder, or the nearest parent that exists, can be written. */
async function checkWritable(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const parent = dirname(folder);
    if (systemErrorCode(error) !== 'ENOENT' || parent === folder) throw error;
    await checkWritable(parent);
  }
}
