import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxOwner } from '../src/index.ts';
import { describeOwner } from '../src/ledger/sandbox-owner.ts';

/** This process as a machine of the same name would have it: with another boot. */
export async function describeNamesake(): Promise<SandboxOwner> {
  return { ...(await describeOwner(process.pid)), bootId: 'another', startMark: '1' };
}

/** Changes what the ledger of a state folder says of a sandbox. */
export async function changeEntry(stateFolder: string, id: string, changes: object): Promise<void> {
  const path = join(stateFolder, 'sandboxes', `${id}.json`);
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...changes }));
}
