import type { SandboxListing } from '../backend.ts';
import type { SandboxLedger } from '../ledger/sandbox-ledger.ts';
import { judgeOwner } from '../ledger/sandbox-owner.ts';

/** Tells of every sandbox below a state folder, whoever opened it. An entry that cannot be read names nobody. */
export async function listSandboxes(
  ledger: SandboxLedger,
  signal: AbortSignal | undefined,
): Promise<readonly SandboxListing[]> {
  signal?.throwIfAborted();
  const listings: SandboxListing[] = [];
  for (const { id, entry, writtenAt } of await ledger.list()) {
    signal?.throwIfAborted();
    if (entry === null) {
      const unknown = { taskId: '', owner: null, ownerState: 'unknown', expiresAt: null, state: 'torn' } as const;
      listings.push({ id, backend: 'local', createdAt: writtenAt, ...unknown });
    } else if (entry.backend === 'local') {
      const { taskId, owner, createdAt, expiresAt } = entry;
      const ownerState = await judgeOwner(owner);
      listings.push({ id, backend: 'local', taskId, owner, ownerState, createdAt, expiresAt, state: 'present' });
    }
  }
  return listings;
}
