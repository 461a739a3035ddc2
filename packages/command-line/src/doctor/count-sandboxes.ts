import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isJsonObject, parseJson, systemErrorCode } from '@talaria/core';

/** How many sandboxes a folder for state knows of, by what became of the run that opened them. */
export interface SandboxCounts {
  /** Of a run that still goes on. */
  readonly inUse: number;
  /** Of a run that has ended: the next run removes them. */
  readonly leftover: number;
  /** Of another machine, or not to be read. */
  readonly unknown: number;
}

/** Every sandbox of the local backend has an entry in the ledger, from before it is made until after it is gone. */
export async function countSandboxes(stateFolder: string): Promise<SandboxCounts> {
  const folder = join(stateFolder, 'sandboxes');
  const names = (await readNames(folder)).filter((name) => name.endsWith('.json'));
  const counts = { inUse: 0, leftover: 0, unknown: 0 };
  for (const name of names) {
    const use = await useOf(join(folder, name));
    if (use !== 'gone') counts[use] += 1;
  }
  return counts;
}

async function readNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function useOf(path: string): Promise<keyof SandboxCounts | 'gone'> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    // Its run has ended in the meantime.
    if (systemErrorCode(error) === 'ENOENT') return 'gone';
    throw error;
  }
  const parsed = parseJson(text);
  const owner = parsed.ok && isJsonObject(parsed.value) ? parsed.value['owner'] : undefined;
  if (!isJsonObject(owner) || owner['host'] !== hostname() || typeof owner['pid'] !== 'number') return 'unknown';
  return isRunning(owner['pid']) ? 'inUse' : 'leftover';
}

/** A later process with the same number counts as the owner: for a report that is close enough, for a sweep it is not. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}
