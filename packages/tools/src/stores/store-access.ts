import type { ToolCallContext } from '../tool.ts';
import type { ToolStateKey } from '../tool-state.ts';

/** Where a tool finds its store: one that is given, or for each rollout an empty one that ends with it. */
export type StoreSource<Store extends object> = Store | 'per-rollout';

/** Whose data a call sees: always the same, or told by what is known of its rollout. */
export type TenantSource = string | ((rollout: Pick<ToolCallContext, 'taskId' | 'rolloutId'>) => string);

/** Gives the store of a call. */
export type StoreOfCall<Store> = (context: ToolCallContext) => Store;

/** Gives the tenant of a call. */
export type TenantOfCall = (context: ToolCallContext) => string;

/** How a tool gets its store; `undefined` where there is none. */
export function storeOfCall<Store extends object>(
  source: StoreSource<Store> | undefined,
  key: ToolStateKey<Store>,
): StoreOfCall<Store> | undefined {
  if (source === undefined) return undefined;
  return typeof source === 'string' ? ({ state }) => state.get(key) : () => source;
}
