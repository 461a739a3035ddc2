import { checkStoreKey } from '../store-key.ts';
import { storedText } from '../stored-text.ts';
import type { MemoryStore, MemoryTarget } from './memory-store.ts';

/** A {@link MemoryStore} that ends with the process: for tests, and for rollouts that must know of no other. */
export function createTransientMemoryStore(): MemoryStore {
  const lists = new Map<string, readonly string[]>();
  return {
    async read(tenant, target, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      signal?.throwIfAborted();
      return lists.get(keyOf(tenant, target)) ?? [];
    },
    async update(tenant, target, change, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      signal?.throwIfAborted();
      const { entries, outcome } = change(lists.get(keyOf(tenant, target)) ?? []);
      if (entries !== undefined) lists.set(keyOf(tenant, target), entries.map(storedText));
      return outcome;
    },
    async [Symbol.asyncDispose]() {
      lists.clear();
    },
  };
}

/** No tenant holds a NUL. */
function keyOf(tenant: string, target: MemoryTarget): string {
  return `${target}\0${tenant}`;
}
