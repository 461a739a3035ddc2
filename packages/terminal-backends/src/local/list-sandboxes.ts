import type { SandboxListing } from '../backend.ts';
import type { SandboxLedger } from '../ledger/sandbox-ledger.ts';
import { judgeOwner } from '../ledger/sandbox-owner.ts';

/**
 * Tells of every sandbox below a state folder, whoever opened it. An entry that a crash tore names nobody; one that a later
 * version wrote is for that one to tell of.
 */
export async function listSandboxes(
  ledger: SandboxLedger,
  signal: AbortSignal | undefined,
): Promise<readonly SandboxListing[]> {
  signal?.throwIfAborted();
  const listings: SandboxListing[] = [];
  for (const { id, entry, fault, writtenAt } of await ledger.list()) {
    signal?.throwIfAborted();
    if (fault === 'torn') {
      const unknown = { taskId: '', owner: null, ownerState: 'unknown', expiresAt: null, state: 'torn' } as const;
      listings.push({ id, backend: 'local', createdAt: writtenAt, ...unknown });
    } else if (entry?.backend === 'local') {
      const { taskId, owner, createdAt } = entry;
      const expiresAt = Number.isFinite(entry.expiresAt) ? entry.expiresAt : null;
      const ownerState = await judgeOwner(owner);
      listings.push({ id, backend: 'local', taskId, owner, ownerState, createdAt, expiresAt, state: 'present' });
    }
  }
  return listings;
}
