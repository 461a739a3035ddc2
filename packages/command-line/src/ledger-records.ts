import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson, systemErrorCode } from '@talaria/core';

/** What the ledger of a state folder says of each sandbox; `null` where that cannot be read. */
export async function readLedgerRecords(stateFolder: string): Promise<readonly (JsonObject | null)[]> {
  const folder = join(stateFolder, 'sandboxes');
  const names = (await readNames(folder)).filter((name) => name.endsWith('.json'));
  const records: (JsonObject | null)[] = [];
  for (const name of names) {
    const text = await readIfThere(join(folder, name));
    if (text === null) continue;
    const parsed = parseJson(text);
    records.push(parsed.ok && isJsonObject(parsed.value) ? parsed.value : null);
  }
  return records;
}

async function readNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Its run may have ended in the meantime. */
async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
