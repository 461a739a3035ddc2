import { createSemaphore, isJsonObject, type JsonObject, TaskError } from '@talaria/core';
import { createItemKeys } from '@talaria/run-store';
import { describeUnstorable } from '../output/plain-data.ts';
import { callEnvironment } from '../run/call-environment.ts';
import type { RunScope } from '../run/run-scope.ts';

/** An item and its place in the run. */
export interface FedItem<Item extends JsonObject> {
  readonly item: Item;
  readonly itemKey: string;
  readonly groupIndex: number;
}

/** Gives out the environment's items, one at a time and in order, whoever asks. */
export interface ItemFeed<Item extends JsonObject> {
  /** `null` once there are no more. */
  next(): Promise<FedItem<Item> | null>;
}

/** Creates the feed of a run. A resumed run asks for the same items from the start, so that their keys are the same. */
export function createItemFeed<Item extends JsonObject, Config>(scope: RunScope<Item, Config>): ItemFeed<Item> {
  const { environment, items, context, stop } = scope;
  const turns = createSemaphore(1);
  const keys = createItemKeys();
  let itemIndex = 0;
  let isExhausted = false;
  return {
    async next() {
      using _turn = await turns.acquire(stop.workSignal);
      if (isExhausted) return null;
      const item = await callEnvironment({
        environmentName: environment.name,
        method: 'getNextItem',
        call: () => items.next({ ...context, itemIndex }),
        signal: stop.workSignal,
      });
      // JavaScript callers end with undefined as often as with null.
      if (item === null || item === undefined) {
        isExhausted = true;
        return null;
      }
      checkItem(environment.name, item);
      const groupIndex = itemIndex;
      itemIndex += 1;
      return { item, itemKey: keys.next(item), groupIndex };
    },
  };
}

/** Makes sure that an item is what can be stored. @throws TaskError `task.bad-item` */
export function checkItem(environmentName: string, item: unknown): void {
  if (!isJsonObject(item)) {
    throw badItem(`${environmentName} gave an item that is no object: ${String(item).slice(0, 80)}`);
  }
  const fault = describeUnstorable(item);
  if (fault !== null) throw badItem(`${environmentName} gave an item that cannot be stored: ${fault}`);
}

function badItem(message: string): TaskError {
  return new TaskError(message, {
    code: 'task.bad-item',
    hint: 'Items are objects of plain data, for example { id: "first", question: "…" }.',
  });
}
