import { open, readFile, rm } from 'node:fs/promises';
import { type Clock, parseJson, systemErrorCode } from '@talaria/core';
import { describeOwner, judgeOwner, parseOwner } from '../ledger/sandbox-owner.ts';

const pollMs = 250;
/** A lock whose text is not whole is being written, or its writer died at that. */
const tornPolls = 40;

/**
 * Waits until no other process holds a lock file, and holds it. One whose owner has died is taken away. Two who find the
 * same dead owner may both hold it for once: what they do must bear that.
 */
export async function holdBuildLock(
  path: string,
  { clock }: { readonly clock: Clock },
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  let polls = 0;
  while (!(await take(path))) {
    signal.throwIfAborted();
    const state = await judgeHolder(path);
    polls = state === 'torn' ? polls + 1 : 0;
    if (state === 'dead' || polls > tornPolls) await rm(path, { force: true });
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

async function judgeHolder(path: string): Promise<'dead' | 'alive' | 'unknown' | 'torn'> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return '';
    throw error;
  });
  const parsed = parseJson(text);
  const owner = parsed.ok ? parseOwner(parsed.value) : null;
  return owner === null ? 'torn' : await judgeOwner(owner);
}
