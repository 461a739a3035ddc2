import { open, readFile, rm, stat } from 'node:fs/promises';
import { type Clock, parseJson, systemErrorCode } from '@talaria/core';
import { nullWhereMissing } from '../host-files/path-stats.ts';
import { describeOwner, judgeOwner, parseOwner } from '../ledger/sandbox-owner.ts';

const pollMs = 250;
/** A lock whose text is not whole is being written, or its writer died at that. */
const maxTornMs = 10_000;
/** The holder's own clock ends its work; its machine may have another time. */
const marginMs = 60_000;

/**
 * Waits until no other process holds a lock file, and holds it. One whose owner has died is taken away, and so is one of
 * another machine that is older than the work may take. Two who find the same dead owner may both hold it for once: what
 * they do must bear that.
 */
export async function holdBuildLock(
  path: string,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  while (!(await take(path))) {
    signal.throwIfAborted();
    if (await isForsaken(path, clock, timeoutMs)) await rm(path, { force: true });
    else await clock.sleep(pollMs, { signal });
  }
  return {
    async [Symbol.asyncDispose]() {
      await rm(path, { force: true });
    },
  };
}

async function take(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(JSON.stringify(await describeOwner(process.pid)));
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isForsaken(path: string, clock: Clock, timeoutMs: number): Promise<boolean> {
  const stats = await stat(path).catch(nullWhereMissing);
  const text = await readFile(path, 'utf8').catch(nullWhereMissing);
  if (stats === null || text === null) return false;
  const ageMs = clock.now() - stats.mtimeMs;
  const parsed = parseJson(text);
  if (!parsed.ok) return ageMs > maxTornMs;
  const owner = parseOwner(parsed.value);
  // What is whole, and tells of nobody that is known here, is that of a later version.
  const state = owner === null ? 'unknown' : await judgeOwner(owner);
  return state === 'dead' || (state === 'unknown' && ageMs > timeoutMs + marginMs);
}
