import { describeMachine } from '@talaria/core';
import type { SandboxListing } from '../backend.ts';
import type { LedgerEntry, SandboxLedger } from './sandbox-ledger.ts';
import { judgeOwner, judgeSharedOwner } from './sandbox-owner.ts';

/** What tells whether a sandbox is left over. */
type Judged = Pick<SandboxListing, 'ownerState' | 'expiresAt'>;

/**
 * Whether nobody uses a sandbox any more that several machines may look after: its owner has died, or cannot be judged
 * from here and its life was over at `now` (milliseconds since 1970).
 */
export function isLeftover({ ownerState, expiresAt }: Judged, now: number): boolean {
  if (ownerState === 'dead') return true;
  return ownerState === 'unknown' && expiresAt !== null && expiresAt < now;
}

/**
 * Whether nobody uses a sandbox of this machine any more. Of what another machine or process space made in this folder,
 * nothing can be ended from here. One of this machine's name that cannot be told from it has had its time, or not.
 */
export async function isLocalLeftover({ owner, expiresAt }: LedgerEntry, now: number): Promise<boolean> {
  const here = await describeMachine();
  const state = await judgeOwner(owner, here);
  const isPerhapsBeforeBoot = owner.host === here.host && owner.bootId !== here.bootId;
  return state === 'dead' || (state === 'unknown' && isPerhapsBeforeBoot && expiresAt < now);
}

/** Names that owners wrote down for a place who do not use them any more, whether or not the sandbox was made. */
export async function readLeftoverRecords(
  ledger: SandboxLedger,
  { backend, place }: Pick<LedgerEntry, 'backend' | 'place'>,
  now: number,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { id, entry } of await ledger.list()) {
    if (entry?.backend !== backend || entry.place !== place) continue;
    const { owner, expiresAt } = entry;
    if (isLeftover({ ownerState: await judgeSharedOwner(owner), expiresAt }, now)) names.push(id);
  }
  return names;
}
