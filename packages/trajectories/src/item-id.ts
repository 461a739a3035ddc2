import { isJsonObject } from '@talaria/core';
import type { Rollout } from './rollout.ts';

/** The item's own `id` where it has one, else the hash of its content. */
export function itemIdOf(rollout: Pick<Rollout, 'item' | 'itemKey'>): string {
  const id = isJsonObject(rollout.item) ? rollout.item['id'] : undefined;
  if (typeof id === 'string' || typeof id === 'number') return String(id);
  return rollout.itemKey.replace(/:\d+$/, '');
}
