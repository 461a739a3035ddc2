import type { JsonObject } from '@talaria/core';
import type { Environment, EnvironmentContext, ItemContext, ItemSource } from './environment.ts';

/** Where the items of an environment come from, whichever way it gives them. */
export interface EnvironmentItems<Item extends JsonObject, Config> {
  /** The next training item; `null` where there are no more. */
  next(context: ItemContext<Config>): Promise<Item | null>;
  /** The items of the evaluation; `undefined` where it has none. */
  readonly readEvaluation: ((context: EnvironmentContext<Config>) => Promise<readonly Item[]>) | undefined;
}

/**
 * Makes one of the two ways to give items: an environment may hold lists, or functions that read them, in place of
 * `getNextItem` and `evalItems`. A list is given out in turn, again from the start, and read the first time it is needed.
 */
export function environmentItems<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
): EnvironmentItems<Item, Config> {
  const { items, evalItems } = environment;
  const read = items === undefined ? undefined : readOnce(environment, items);
  return {
    async next(context) {
      if (environment.getNextItem !== undefined) return environment.getNextItem(context);
      const list = await read?.(context);
      return list?.[context.itemIndex % list.length] ?? null;
    },
    readEvaluation: evalItems === undefined || evalItems === items ? read : readOnce(environment, evalItems),
  };
}

/** How many training items there are, where they are a list; `null` where only the run finds out. */
export function countListedItems<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
): number | null {
  if (environment.getNextItem !== undefined) return null;
  return Array.isArray(environment.items) ? environment.items.length : null;
}

function readOnce<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  source: ItemSource<Item, Config>,
): (context: EnvironmentContext<Config>) => Promise<readonly Item[]> {
  let list: Promise<readonly Item[]> | undefined;
  return (context) => {
    // Called on the environment: where it is a class, the function is a method.
    list ??= (async () => (typeof source === 'function' ? source.call(environment, context) : source))();
    return list;
  };
}
