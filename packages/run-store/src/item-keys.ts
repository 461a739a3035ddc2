import { contentHash, type JsonValue } from '@talaria/core';

/** Gives every item of a run a key that does not depend on its position. */
export interface ItemKeys {
  /**
   * The key of the next item: the hash of its content, a colon, and how many equal items came before.
   * The same items in any order, on any machine, have the same keys.
   */
  next(item: JsonValue): string;
}

/** Starts counting: one per run and split. */
export function createItemKeys(): ItemKeys {
  const occurrences = new Map<string, number>();
  return {
    next(item) {
      const hash = contentHash(item);
      const occurrence = occurrences.get(hash) ?? 0;
      occurrences.set(hash, occurrence + 1);
      return `${hash}:${occurrence}`;
    },
  };
}
