import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorMessage, systemErrorCode } from '@talaria/core';
import type { Host } from '../host.ts';
import { stateFolder } from '../state-folder.ts';
import type { Finding } from './finding.ts';

/** Looks at the folder for state: whether it can be used, where it is. */
export async function probeState(host: Host): Promise<Finding> {
  const folder = stateFolder(host);
  const base = { name: 'state folder', isRequired: true };
  try {
    await checkWritable(folder);
    return { ...base, status: 'ok', detail: folder, hint: 'TERMINAL_SANDBOX_DIR moves it' };
  } catch (error) {
    return {
      ...base,
      status: 'broken',
      detail: `${folder}: ${errorMessage(error)}`,
      hint: 'Make it writable, or name another one in TERMINAL_SANDBOX_DIR',
    };
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
