import { lookup } from 'node:dns/promises';
import { raceAbort } from '@talaria/core';

/** One address of a host. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds the addresses of a host name. Rejects where there are none, and with the signal's reason. */
export type ResolveHost = (hostname: string, signal?: AbortSignal) => Promise<readonly ResolvedAddress[]>;

/** Asks the system, its `hosts` file included. */
export const resolveBySystem: ResolveHost = async (hostname, signal) => {
  signal?.throwIfAborted();
  // The system's call cannot be stopped; it ends by its own limit and holds nothing.
  const found = await raceAbort(lookup(hostname, { all: true, order: 'verbatim' }), signal);
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};
