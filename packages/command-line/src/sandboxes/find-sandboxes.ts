import type { SandboxListing } from '@talaria/terminal-backends';
import type { OpenedBackend } from '../backends/opened-backend.ts';
import type { SandboxesRequest } from './read-sandboxes-arguments.ts';

/** The sandboxes that a backend tells of, oldest first, as far as their age is asked for. */
export async function findSandboxes(
  backend: OpenedBackend,
  { olderThanMs }: SandboxesRequest,
  options: { readonly now: number; readonly signal: AbortSignal },
): Promise<readonly SandboxListing[]> {
  const listings = (await backend.list?.({ signal: options.signal })) ?? [];
  return listings
    .filter(({ createdAt }) => olderThanMs === null || options.now - createdAt > olderThanMs)
    .toSorted((left, right) => left.createdAt - right.createdAt);
}

/**
 * Whether nobody uses a sandbox any more: its owner has died, or it cannot be told and its life is over. Of this
 * machine's own, without a container around them, only the first can be acted on.
 */
export function isLeftover({ backend, ownerState, expiresAt }: SandboxListing, now: number): boolean {
  if (ownerState === 'dead') return true;
  return backend !== 'local' && ownerState === 'unknown' && expiresAt !== null && expiresAt < now;
}
